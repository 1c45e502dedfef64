/* uname(2), and what a zone's kernel version and domain name make of it.
 * lxtest: --set kernel-version=4.4.0
 * lxtest: --set kernel-version=5.4.0 --set domainname=example.org
 */
#include <pthread.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "tests/lib/guest.h"

#define SIZE 390

static void check_fields(void)
{
	const char *release = attribute("kernel-version"), *domain = attribute("domainname");
	struct utsname *u = (struct utsname *)edge(SIZE);

	eq(CALL(SYS_uname, u, -1L, -1L, -1L, -1L, -1L), 0, "fits a buffer that ends at an unmapped page");
	str_eq(u->sysname, "Linux", "sysname");
	str_eq(u->machine, "x86_64", "machine");
	ok(u->nodename[0] && memchr(u->nodename, 0, 65), "nodename");
	ok(u->version[0] && memchr(u->version, 0, 65), "version");
	if (release)
		ok(!strncmp(u->release, release, strlen(release)), "release is the zone's: %s", u->release);
	else
		ok(u->release[0] >= '2', "release is the host's: %s", u->release);
	if (domain)
		str_eq((char *)u + 5 * 65, domain, "domainname is the zone's");
	else
		ok(memchr((char *)u + 5 * 65, 0, 65) != NULL, "domainname");
}

static void check_faults(void)
{
	char *p = edge(SIZE - 1);

	eq(CALL(SYS_uname, NULL), -EFAULT, "NULL");
	eq(CALL(SYS_uname, p), -EFAULT, "one byte too small for it");
	eq(CALL(SYS_uname, p + SIZE - 1), -EFAULT, "unmapped");
	eq(CALL(SYS_uname, read_only(4096)), -EFAULT, "read-only");
	eq(CALL(SYS_uname, -4096L), -EFAULT, "an address of the kernel's");
	eq(CALL(SYS_uname, 0x100L), -EFAULT, "the first page");
}

static int as_linux32(void *arg)
{
	struct utsname u;

	if (personality(PER_LINUX32) < 0 || uname(&u))
		return 1;
	return strcmp(u.machine, "i686") ? 2 : 0;
}

static int as_26(void *arg)
{
	struct utsname u;

	if (personality(0x0020000) < 0 || uname(&u)) /* UNAME26 */
		return 1;
	return strncmp(u.release, "2.6.", 4) ? 2 : 0;
}

static int undumpable(void *arg)
{
	const char *release = attribute("kernel-version");
	struct utsname u;

	if (prctl(PR_SET_DUMPABLE, 0) || uname(&u))
		return 1;
	return release && strncmp(u.release, release, strlen(release)) ? 2 : 0;
}

/* As root of the zone; without that right it must be refused. */
static int rename_host(void *arg)
{
	struct utsname u;

	if (sethostname("renamed", 7))
		return errno == EPERM ? 0 : 1;
	if (uname(&u) || strcmp(u.nodename, "renamed"))
		return 2;
	if (sethostname("again", 5) || uname(&u) || strcmp(u.nodename, "again"))
		return 3;
	return 0;
}

static void *thread_main(void *arg)
{
	const struct utsname *want = arg;
	struct utsname u;

	for (int i = 0; i < 200; i++)
		if (uname(&u) || memcmp(&u, want, sizeof(u)))
			return arg;
	return NULL;
}

static int forked(void *arg)
{
	return thread_main(arg) ? 1 : 0;
}

static void check_vfork(struct utsname *u)
{
	int status = -1;
	pid_t pid = vfork();

	if (!pid)
		_exit(thread_main(u) ? 1 : 0);
	waitpid(pid, &status, 0);
	eq(status, 0, "the same in a child of vfork");
}

static void check_others(void)
{
	struct utsname u = { 0 };
	pthread_t id[4];
	int bad = 0;
	void *r;

	uname(&u);
	eq(in_child(forked, &u), 0, "the same in a child");
	check_vfork(&u);
	for (int i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, thread_main, &u);
	for (int i = 0; i < 4; i++) {
		pthread_join(id[i], &r);
		bad += r != NULL;
	}
	eq(bad, 0, "the same in four threads at once");
}

int main(void)
{
	check_fields();
	check_faults();
	eq(in_child(as_linux32, NULL), 0, "personality PER_LINUX32 turns machine into i686");
	eq(in_child(as_26, NULL), 0, "personality UNAME26 turns release into 2.6");
	eq(in_child(undumpable, NULL), 0, "the same in a process that hides its memory");
	check_others();
	if (in_zone())
		eq(in_child(rename_host, NULL), 0, "a new host name shows at once");
	return done();
}
