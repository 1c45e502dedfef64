/* Filters of the guest's own on top of the zone's. The stricter answer wins, whoever gives it; a listener of its own is what a
 * guest can have unless the zone needs the only one (the kernel allows one, then says EBUSY; trap=ptrace leaves it free).
 * lxtest: --set kernel-version=5.4.0
 * lxtest: --set hostname=seccomp
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "tests/lib/guest.h"

static long install(unsigned long flags, long nr, unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return CALL(SYS_seccomp, (long)SECCOMP_SET_MODE_FILTER, flags, &prog);
}

static int deny_passed(void *arg)
{
	if (install(0, SYS_getppid, SECCOMP_RET_ERRNO | EPERM))
		return 1;
	return CALL(SYS_getppid) == -EPERM ? 0 : 2;
}

static int deny_emulated(void *arg)
{
	struct utsname u;

	if (install(0, SYS_uname, SECCOMP_RET_ERRNO | EXDEV))
		return 1;
	return CALL(SYS_uname, &u) == -EXDEV ? 0 : 2;
}

/* An allowing filter changes nothing, also for what the zone emulates. */
static int allow(void *arg)
{
	struct utsname before, after;

	if (uname(&before) || install(0, SYS_getppid, SECCOMP_RET_ALLOW) || uname(&after))
		return 1;
	return memcmp(&before, &after, sizeof(before)) ? 2 : 0;
}

static volatile sig_atomic_t trapped;

static void on_sigsys(int sig)
{
	trapped++;
}

static int trap_emulated(void *arg)
{
	struct utsname u;

	signal(SIGSYS, on_sigsys);
	if (install(0, SYS_uname, SECCOMP_RET_TRAP))
		return 1;
	syscall(SYS_uname, &u);
	return trapped == 1 ? 0 : 2;
}

static int kill_emulated(void *arg)
{
	struct utsname u;

	if (install(0, SYS_uname, SECCOMP_RET_KILL_PROCESS))
		return 1;
	syscall(SYS_uname, &u);
	return 2;
}

/* With nobody to ask, the kernel says ENOSYS. */
static int listen_without_answer(void *arg)
{
	long fd = install(SECCOMP_FILTER_FLAG_NEW_LISTENER, SYS_getppid, SECCOMP_RET_USER_NOTIF);

	if (fd == -EBUSY)
		return in_zone() && attribute("kernel-version") ? 0 : 1;
	if (fd < 0)
		return 2;
	close((int)fd);
	return CALL(SYS_getppid) == -ENOSYS ? 0 : 3;
}

int main(void)
{
	eq(in_child(deny_passed, NULL), 0, "denies a call that the zone passes");
	eq(in_child(deny_emulated, NULL), 0, "denies a call that the zone may emulate");
	eq(in_child(allow, NULL), 0, "allows what it likes");
	eq(in_child(trap_emulated, NULL), 0, "SIGSYS for a call that the zone may emulate");
	eq(in_child(kill_emulated, NULL), 128 + SIGSYS, "death for it");
	eq(in_child(listen_without_answer, NULL), 0, "a listener of its own");
	return done();
}
