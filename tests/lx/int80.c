/* int 0x80 out of a 64-bit program makes i386 calls: they are caught as such, with structures of that ABI.
 * lxtest: --set kernel-version=4.4.0 --set memory=512M --set cpus=1
 */
#include <sys/utsname.h>

#include "tests/lib/guest.h"

#ifdef __x86_64__
static long call80(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "0"(nr), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
	return (int)r;
}

static void check(char *low)
{
	const char *release = attribute("kernel-version");
	struct utsname u = { 0 };
	uint32_t *words = (uint32_t *)low;
	long r;

	eq(call80(20, 0, 0, 0), getpid(), "getpid");
	r = call80(122, (long)low, -1, -1);
	eq(r, 0, "uname");
	uname(&u);
	ok(!memcmp(low, &u, sizeof(u)), "says what the other ABI says: %s", low + 130);
	if (release)
		ok(!strncmp(low + 130, release, strlen(release)), "the zone's version");
	eq(call80(59, (long)low, 0, 0), 0, "oldolduname");
	str_eq(low, "Linux", "its first field");
	eq(call80(122, 0, 0, 0), -EFAULT, "uname(NULL)");
	memset(low, 0xa5, 4096);
	eq(call80(116, (long)low, 0, 0), 0, "sysinfo");
	ok(words[16] == 0xa5a5a5a5, "writes 64 bytes, as i386 has it");
	if (attribute("memory"))
		ok((uint64_t)words[4] * words[13] == 512 << 20, "the zone's memory");
	memset(low, 0xa5, 4096);
	r = call80(242, 0, 4, (long)low);
	eq(r, 4, "sched_getaffinity in words of 32 bits");
	ok(words[0] && words[1] == 0xa5a5a5a5, "writes one of them: %#x", words[0]);
	eq(call80(600, 0, 0, 0), -ENOSYS, "an unknown number");
	eq(call80(0x40000014, 0, 0, 0), -ENOSYS, "the x32 bit means nothing here");
}
#endif

int main(void)
{
#ifdef __x86_64__
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	ok(low != MAP_FAILED, "memory below 4 GiB");
	check(low);
#else
	ok(true, "a 64-bit matter");
#endif
	return done();
}
