/* Run-time feature probes of features.h: each asks the kernel in a way that changes nothing, most by a call that must
 * fail with one errno where the feature exists and with another where it does not. */
#include "common/host/features.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static const char *const names[HOST_NFEATURES] = {
	[HOST_NOTIFY] = "notify",
	[HOST_KILLABLE] = "killable",
	[HOST_SYNCWAKE] = "syncwake",
	[HOST_SUD] = "sud",
	[HOST_SUDPTRACE] = "sudptrace",
	[HOST_IDMAP] = "idmap",
	[HOST_OVLIDMAP] = "ovlidmap",
	[HOST_OVLUSER] = "ovluser",
	[HOST_TIMENS] = "timens",
	[HOST_USERNS] = "userns",
	[HOST_FUSE] = "fuse",
	[HOST_PERF] = "perf",
	[HOST_PIDFD] = "pidfd",
	[HOST_NSPID] = "nspid",
	[HOST_CGROUP2] = "cgroup2",
};

const char *host_feature_name(enum host_feature f)
{
	return names[f];
}

/* For what only shows itself in use. A vendor's kernel with a feature taken back still says -EINVAL at that moment and
 * its user falls back there. */
static bool release_at_least(unsigned major, unsigned minor)
{
	unsigned a = 0, b = 0;
	struct utsname u;

	if (uname(&u) || sscanf(u.release, "%u.%u", &a, &b) != 2)
		return false;
	return a > major || (a == major && b >= minor);
}

static bool probe_notify(void)
{
	uint32_t action = SECCOMP_RET_USER_NOTIF;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* Flags are checked before the program is copied in: EFAULT means that all of them are known. */
static bool probe_killable(void)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		       SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, NULL) < 0 &&
	       errno == EFAULT;
}

static bool probe_sud(void)
{
	return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) == 0;
}

static bool probe_idmap(void)
{
	return syscall(SYS_mount_setattr, -1, "", 0, NULL, 0) < 0 && errno != ENOSYS;
}

/* Whether the policy of the machine (sysctls, LSMs, limits) lets this user have one shows only by making one. */
static bool probe_userns(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return false;
	if (!pid)
		_exit(unshare(CLONE_NEWUSER) ? 1 : 0);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool probe_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool probe_perf(void)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool probe_pidfd(void)
{
	return syscall(SYS_pidfd_getfd, -1, 0, 0) < 0 && errno != ENOSYS;
}

#ifndef NS_GET_PID_FROM_PIDNS
#define NS_GET_PID_FROM_PIDNS _IOR(0xb7, 0x6, int)
#endif
static bool probe_nspid(void)
{
	int fd = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -1 : ioctl(fd, NS_GET_PID_FROM_PIDNS, getpid());

	if (fd >= 0)
		close(fd);
	return r == getpid();
}

static bool probe_cgroup2(void)
{
	struct statfs s;

	if (statfs("/sys/fs/cgroup", &s))
		return false;
	if (s.f_type == CGROUP2_SUPER_MAGIC)
		return true;
	return !statfs("/sys/fs/cgroup/unified", &s) && s.f_type == CGROUP2_SUPER_MAGIC;
}

static bool probe(enum host_feature f)
{
	switch (f) {
	case HOST_NOTIFY: return probe_notify();
	case HOST_KILLABLE: return probe_killable();
	case HOST_SYNCWAKE: return release_at_least(6, 6);
	case HOST_SUD: return probe_sud();
	case HOST_SUDPTRACE: return probe_sud() && release_at_least(6, 4);
	case HOST_IDMAP: return probe_idmap();
	case HOST_OVLIDMAP: return probe_idmap() && release_at_least(5, 19);
	case HOST_OVLUSER: return release_at_least(5, 11);
	case HOST_TIMENS: return access("/proc/self/ns/time", F_OK) == 0;
	case HOST_USERNS: return probe_userns();
	case HOST_FUSE: return probe_open("/dev/fuse");
	case HOST_PERF: return probe_perf();
	case HOST_PIDFD: return probe_pidfd();
	case HOST_NSPID: return probe_nspid();
	case HOST_CGROUP2: return probe_cgroup2();
	case HOST_NFEATURES: break;
	}
	return false;
}

static bool switched_off(const char *name)
{
	const char *s = getenv("LXZONE_WITHOUT");
	size_t n = strlen(name);

	while (s && *s) {
		if (!strncmp(s, name, n) && (s[n] == ',' || !s[n]))
			return true;
		s = strchr(s, ',');
		s = s ? s + 1 : NULL;
	}
	return false;
}

bool host_has(enum host_feature f)
{
	static _Atomic signed char known[HOST_NFEATURES]; /* 0 not asked yet, 1 yes, -1 no */
	int saved = errno;
	signed char k;

	if ((unsigned)f >= HOST_NFEATURES)
		return false;
	k = atomic_load(&known[f]);
	if (!k) {
		k = !switched_off(names[f]) && probe(f) ? 1 : -1;
		atomic_store(&known[f], k);
	}
	errno = saved;
	return k > 0;
}
