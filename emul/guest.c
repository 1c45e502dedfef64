/* Facts about guest threads out of the host's /proc. A thread whose call is trapped does not run, so that what is read of
 * it stays true until the answer; of other threads it is as fresh as in the kernel. */
#include "emul/guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "common/host/features.h"
#include "emul/taskinfo.h"

#ifndef NS_GET_PID_FROM_PIDNS
#define NS_GET_PID_FROM_PIDNS _IOR(0xb7, 0x6, int)
#endif

#define CAP_SYS_NICE_BIT 23

/* Reads /proc/TID/NAME into buf, always terminated. Length or -errno. */
static ssize_t proc_read(pid_t tid, const char *name, char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

unsigned long guest_personality(pid_t tid)
{
	char buf[32];

	if (proc_read(tid, "personality", buf, sizeof(buf)) <= 0)
		return 0;
	return strtoul(buf, NULL, 16);
}

uint64_t guest_ns(pid_t tid, const char *ns)
{
	char path[64], link[64];
	ssize_t n;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", tid, ns);
	else
		snprintf(path, sizeof(path), "/proc/self/ns/%s", ns);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return 0;
	link[n] = '\0';
	return strchr(link, '[') ? strtoull(strchr(link, '[') + 1, NULL, 10) : 0;
}

void guest_boottime_offset(pid_t tid, int64_t *sec, int64_t *nsec)
{
	char buf[256];
	const char *p;

	*sec = *nsec = 0;
	if (!host_has(HOST_TIMENS) || guest_ns(tid, "time") == guest_ns(0, "time"))
		return;
	if (proc_read(tid, "timens_offsets", buf, sizeof(buf)) <= 0)
		return;
	p = strstr(buf, "boottime");
	if (p && sscanf(p, "boottime %" SCNd64 " %" SCNd64, sec, nsec) != 2)
		*sec = *nsec = 0;
}

bool guest_may_sched(pid_t tid, pid_t target)
{
	struct task_status me, it;
	uint64_t ns;

	if (tid == target)
		return true;
	if (task_status_read(tid, &me) || task_status_read(target, &it))
		return false;
	if (me.euid == it.euid || me.euid == it.uid)
		return true;
	ns = guest_ns(tid, "user");
	return (me.capeff >> CAP_SYS_NICE_BIT & 1) && ns && ns == guest_ns(target, "user");
}

/* A pid namespace, and how many lie above it as far as /proc shows them. */
struct pidns {
	uint64_t ino;
	unsigned level;
};

static bool is_pid(pid_t host, const struct pidns *ns, pid_t pid)
{
	struct task_status s;

	return !task_status_read(host, &s) && s.nns > ns->level && s.nspid[ns->level] == pid && task_in_pidns(host, ns->ino);
}

/* Looks among the entries of a folder of /proc for the thread that is `pid` in ns. */
static pid_t find_pid(const char *folder, const struct pidns *ns, pid_t pid, bool threads)
{
	DIR *d = opendir(folder);
	pid_t found = -ESRCH;
	struct dirent *ent;

	if (!d)
		return -ESRCH;
	while (found < 0 && (ent = readdir(d))) {
		pid_t host = atoi(ent->d_name);
		char path[64];

		if (host <= 0)
			continue;
		if (is_pid(host, ns, pid)) {
			found = host;
		} else if (threads && task_in_pidns(host, ns->ino)) {
			snprintf(path, sizeof(path), "/proc/%d/task", host);
			found = find_pid(path, ns, pid, false);
		}
	}
	closedir(d);
	return found;
}

pid_t guest_pid_to_host(pid_t tid, pid_t pid)
{
	struct task_status s;
	struct pidns ns;
	char path[64];
	pid_t r;

	if (!pid)
		return tid;
	if (pid < 0)
		return -ESRCH;
	if (host_has(HOST_NSPID)) {
		_cleanup_close_ int fd = -1;

		snprintf(path, sizeof(path), "/proc/%d/ns/pid", tid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return -ESRCH;
		r = ioctl(fd, NS_GET_PID_FROM_PIDNS, pid);
		return r > 0 ? r : -ESRCH;
	}
	/* Older kernels do not translate. Mostly a program asks for itself or for one of its threads. */
	if (task_status_read(tid, &s) || !s.nns)
		return -ESRCH;
	ns = (struct pidns){ guest_ns(tid, "pid"), s.nns - 1 };
	if (!ns.level)
		return pid;
	if (s.nspid[ns.level] == pid)
		return tid;
	snprintf(path, sizeof(path), "/proc/%d/task", s.tgid);
	r = find_pid(path, &ns, pid, false);
	return r > 0 ? r : find_pid("/proc", &ns, pid, true);
}
