/* Numbers that no call has: ENOSYS, never a signal, never EPERM; x32 numbers, which need their own loader, too.
 * lxtest: --set kernel-version=4.4.0
 */
#include "tests/lib/guest.h"

#define X32 0x40000000L

static void check_unknown(void)
{
	static const long nr[] = { 600, 1000, 1023, 1024, 4096, 65535, 0x3fffffff, 0x7fffffff, -1, -2, -4095 };

	for (unsigned i = 0; i < sizeof(nr) / sizeof(nr[0]); i++) {
		char what[64];

		snprintf(what, sizeof(what), "number %ld", nr[i]);
		eq(CALL(nr[i], -1L, -1L, -1L, -1L, -1L, -1L), -ENOSYS, what);
	}
}

#ifdef __x86_64__
/* Some hosts have x32 calls; a zone never has. */
static void check_x32(void)
{
	if (!in_zone())
		return;
	eq(CALL(X32 | SYS_getpid), -ENOSYS, "x32 getpid");
	eq(CALL(X32 | 512, -1L, -1L, -1L, -1L), -ENOSYS, "x32 rt_sigaction");
	eq(CALL(X32 | SYS_uname, -1L), -ENOSYS, "x32 uname");
}

/* The kernel looks at the low half of the number only. */
static void check_upper_half(void)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "0"(0xdeadbeef00000000UL | SYS_getpid) : "rcx", "r11", "memory");
	ok(r == getpid() || r == -ENOSYS, "a number with junk above it: %ld", r);
}
#endif

static void check_version(void)
{
	const char *v = attribute("kernel-version");
	long r;

	if (!v)
		return;
	r = CALL(435, 0L, 0L); /* clone3, 5.3 */
	eq(r, -ENOSYS, "clone3 is newer than the zone's kernel");
	r = CALL(439, -1L, 0L, 0L, -1L); /* faccessat2, 5.8 */
	eq(r, -ENOSYS, "faccessat2 is newer than the zone's kernel");
	r = CALL(436, 1L, 0L, 0L); /* close_range, 5.9 */
	eq(r, -ENOSYS, "close_range is newer than the zone's kernel");
}

int main(void)
{
	check_unknown();
#ifdef __x86_64__
	check_x32();
	check_upper_half();
#endif
	check_version();
	eq(CALL(SYS_getpid), getpid(), "a known one still works");
	return done();
}
