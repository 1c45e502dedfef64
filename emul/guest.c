/* Facts about guest threads out of the host's /proc. A thread whose call is trapped does not run, so that what is read of
 * it stays true until the answer; of other threads it is as fresh as in the kernel. */
#include "emul/guest.h"

#include <ctype.h>
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

int guest_processor(pid_t tid)
{
	char buf[1024], *p;

	if (proc_read(tid, "stat", buf, sizeof(buf)) <= 0)
		return -1;
	p = strrchr(buf, ')'); /* the name before it may hold anything; field 3 follows, field 39 is wanted */
	for (int i = 3; p && i <= 39; i++)
		p = strchr(p + 1, ' ');
	return p ? atoi(p + 1) : -1;
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

/* What a thread's status says that we use. */
struct status {
	unsigned uid, euid;
	uint64_t caps;   /* effective */
	pid_t nspid;     /* its number in the innermost pid namespace */
	pid_t tgid;
};

static bool status_read(pid_t tid, struct status *s)
{
	char buf[4096];
	const char *p;

	if (proc_read(tid, "status", buf, sizeof(buf)) <= 0)
		return false;
	memset(s, 0, sizeof(*s));
	p = strstr(buf, "\nTgid:");
	if (p)
		s->tgid = atoi(p + 6);
	p = strstr(buf, "\nUid:");
	if (!p || sscanf(p, "\nUid: %u %u", &s->uid, &s->euid) != 2)
		return false;
	p = strstr(buf, "\nCapEff:");
	if (!p || sscanf(p, "\nCapEff: %" SCNx64, &s->caps) != 1)
		return false;
	p = strstr(buf, "\nNSpid:");
	if (p) {
		const char *end = strchr(p + 1, '\n');

		for (p += 7; p && p < end; p = strpbrk(p, " \t")) {
			p += strspn(p, " \t");
			if (isdigit((unsigned char)*p))
				s->nspid = atoi(p);
		}
	}
	return true;
}

bool guest_may_sched(pid_t tid, pid_t target)
{
	struct status me, it;
	uint64_t ns;

	if (tid == target)
		return true;
	if (!status_read(tid, &me) || !status_read(target, &it))
		return false;
	if (me.euid == it.euid || me.euid == it.uid)
		return true;
	ns = guest_ns(tid, "user");
	return (me.caps >> CAP_SYS_NICE_BIT & 1) && ns && ns == guest_ns(target, "user");
}

/* Looks among the entries of a folder of /proc for the thread that is `pid` in the same pid namespace as `tid`. */
static pid_t find_nspid(const char *folder, uint64_t pidns, pid_t pid, bool threads)
{
	DIR *d = opendir(folder);
	pid_t found = -ESRCH;
	struct dirent *ent;

	if (!d)
		return -ESRCH;
	while (found < 0 && (ent = readdir(d))) {
		pid_t host = atoi(ent->d_name);
		struct status s;
		char path[64];

		if (host <= 0)
			continue;
		if (status_read(host, &s) && s.nspid == pid && guest_ns(host, "pid") == pidns) {
			found = host;
		} else if (threads && guest_ns(host, "pid") == pidns) {
			snprintf(path, sizeof(path), "/proc/%d/task", host);
			found = find_nspid(path, pidns, pid, false);
		}
	}
	closedir(d);
	return found;
}

pid_t guest_pid_to_host(pid_t tid, pid_t pid)
{
	struct status s;
	char path[64];
	uint64_t ns;
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
	ns = guest_ns(tid, "pid");
	if (ns == guest_ns(0, "pid"))
		return pid;
	if (!ns || !status_read(tid, &s))
		return -ESRCH;
	if (s.nspid == pid)
		return tid;
	snprintf(path, sizeof(path), "/proc/%d/task", s.tgid);
	r = find_nspid(path, ns, pid, false);
	return r > 0 ? r : find_nspid("/proc", ns, pid, true);
}
