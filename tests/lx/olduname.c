/* The two ancestors of uname, which only i386 still has.
 * lxtest: --set kernel-version=4.4.0
 * lxtest: covers oldolduname
 */
#include <sys/personality.h>
#include <sys/utsname.h>

#include "tests/lib/guest.h"

#define OLDOLDUNAME 59
#define OLDUNAME 109

#ifdef __i386__
static int as_linux32(void *arg)
{
	char old[325], oldold[45];

	if (personality(PER_LINUX32) < 0 || syscall(OLDUNAME, old) || syscall(OLDOLDUNAME, oldold))
		return 1;
	return strcmp(old + 4 * 65, "i686") || strcmp(oldold + 4 * 9, "i686") ? 2 : 0;
}

static void check_old(const struct utsname *u)
{
	char *p = edge(5 * 65);

	eq(CALL(OLDUNAME, p, -1, -1), 0, "olduname: five fields fit a buffer that ends at an unmapped page");
	ok(!memcmp(p, u, 5 * 65), "olduname: they are uname's");
	eq(CALL(OLDUNAME, NULL), -EFAULT, "olduname: NULL");
	eq(CALL(OLDUNAME, edge(5 * 65 - 1)), -EFAULT, "olduname: one byte too small for it");
	eq(CALL(OLDUNAME, read_only(4096)), -EFAULT, "olduname: read-only");
}

static void check_oldold(const struct utsname *u)
{
	const char *field = (const char *)u;
	char *p = edge(5 * 9), want[9];
	int bad = 0;

	eq(CALL(OLDOLDUNAME, p, -1, -1), 0, "oldolduname: 45 bytes fit a buffer that ends at an unmapped page");
	for (int i = 0; i < 5; i++) {
		memset(want, 0, sizeof(want));
		memcpy(want, field + 65 * i, 8);
		bad += memcmp(p + 9 * i, want, 9) != 0;
	}
	eq(bad, 0, "oldolduname: fields are uname's first eight characters");
	eq(CALL(OLDOLDUNAME, NULL), -EFAULT, "oldolduname: NULL");
	eq(CALL(OLDOLDUNAME, edge(5 * 9 - 1)), -EFAULT, "oldolduname: one byte too small for it");
}
#endif

int main(void)
{
	struct utsname u = { 0 };

	eq(uname(&u), 0, "uname");
#ifdef __i386__
	check_old(&u);
	check_oldold(&u);
	eq(in_child(as_linux32, NULL), 0, "personality PER_LINUX32 turns machine into i686 in both");
#endif
	return done();
}
