/* Reads /proc/TID for engine and handlers. A thread may die at any moment: every function then says so and leaves nothing open. */
#include "emul/taskinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host/cleanup.h"

static int proc_open(pid_t tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The file's first cap - 1 bytes, terminated. Bytes or -errno. */
static ssize_t proc_read(pid_t tid, const char *name, char *buf, size_t cap)
{
	_cleanup_close_ int fd = proc_open(tid, name);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (len < cap - 1) {
		n = read(fd, buf + len, cap - 1 - len);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	buf[len] = '\0';
	return (ssize_t)len;
}

static unsigned parse_ids(const char *s, pid_t *id)
{
	unsigned n = 0;
	char *end;

	while (n < TASK_NNS) {
		long v = strtol(s, &end, 10);

		if (end == s)
			break;
		id[n++] = (pid_t)v;
		s = end;
		if (*s == '\n')
			break;
	}
	return n;
}

static void parse_uids(const char *s, struct task_status *st)
{
	char *end;

	st->uid = (uid_t)strtoul(s, &end, 10);
	st->euid = (uid_t)strtoul(end, NULL, 10);
}

int task_status_read(pid_t tid, struct task_status *st)
{
	char buf[4096], *p = buf;
	ssize_t n;

	memset(st, 0, sizeof(*st));
	n = proc_read(tid, "status", buf, sizeof(buf));
	if (n <= 0)
		return n == -EMFILE || n == -ENFILE || n == -ENOMEM ? (int)n : -ESRCH;
	while (p && *p) {
		char *v = strchr(p, '\t'); /* "Name:\tvalue"; the name of the program is escaped and the first line */

		if (!v)
			break;
		v++;
		if (!strncmp(p, "State:", 6))
			st->state = *v;
		else if (!strncmp(p, "Tgid:", 5))
			st->tgid = atoi(v);
		else if (!strncmp(p, "PPid:", 5))
			st->ppid = atoi(v);
		else if (!strncmp(p, "TracerPid:", 10))
			st->tracer = atoi(v);
		else if (!strncmp(p, "Uid:", 4))
			parse_uids(v, st);
		else if (!strncmp(p, "Gid:", 4))
			st->gid = (gid_t)strtoul(v, NULL, 10);
		else if (!strncmp(p, "NSpid:", 6))
			st->nns = parse_ids(v, st->nspid);
		else if (!strncmp(p, "NStgid:", 7))
			parse_ids(v, st->nstgid);
		else if (!strncmp(p, "SigBlk:", 7))
			st->sigblk = strtoull(v, NULL, 16);
		else if (!strncmp(p, "SigIgn:", 7))
			st->sigign = strtoull(v, NULL, 16);
		else if (!strncmp(p, "SigCgt:", 7))
			st->sigcgt = strtoull(v, NULL, 16);
		else if (!strncmp(p, "CapEff:", 7)) {
			st->capeff = strtoull(v, NULL, 16);
			break; /* nothing after it is of interest */
		}
		p = strchr(p, '\n');
		if (p)
			p++;
	}
	return st->tgid ? 0 : -ESRCH;
}

int task_comm(pid_t tid, char comm[16])
{
	char buf[32];
	ssize_t n = proc_read(tid, "comm", buf, sizeof(buf));

	if (n <= 0)
		return -ESRCH;
	if (buf[n - 1] == '\n')
		n--;
	if (n > 15)
		n = 15;
	memcpy(comm, buf, (size_t)n);
	memset(comm + n, 0, 16 - (size_t)n);
	return 0;
}

int task_schedstat_open(pid_t tid)
{
	return proc_open(tid, "schedstat");
}

uint64_t task_cputime(int schedstat)
{
	char buf[96];
	ssize_t n = pread(schedstat, buf, sizeof(buf) - 1, 0);

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	return strtoull(buf, NULL, 10);
}

int task_cpu(pid_t tid)
{
	char name[32], buf[1024], *p;

	snprintf(name, sizeof(name), "task/%d/stat", tid); /* /proc/TID/stat would add up all threads of the process */
	if (proc_read(tid, name, buf, sizeof(buf)) <= 0)
		return -1;
	p = strrchr(buf, ')'); /* the name before it may hold anything */
	if (!p)
		return -1;
	for (int field = 2; field < 39 && p; field++)
		p = strchr(p + 1, ' ');
	return p ? atoi(p + 1) : -1;
}

bool task_has_children(pid_t tid)
{
	char name[40], buf[16];

	snprintf(name, sizeof(name), "task/%d/children", tid);
	return proc_read(tid, name, buf, sizeof(buf)) > 0;
}

long task_link(pid_t tid, const char *link, char *dst, size_t cap)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, link);
	n = readlink(path, dst, cap);
	return n < 0 ? -errno : n;
}

uint32_t task_map_id(pid_t pid, const char *map, uint32_t id)
{
	char buf[4096], *p = buf;
	unsigned long in, out, count;
	int used;

	if (proc_read(pid, map, buf, sizeof(buf)) <= 0)
		return id;
	while (sscanf(p, "%lu %lu %lu%n", &in, &out, &count, &used) == 3) {
		if (id >= out && id - out < count)
			return (uint32_t)(in + (id - out));
		p += used;
	}
	return 65534;
}

static int pidns_open(pid_t pid, uint64_t *inode)
{
	struct stat sb;
	int fd = proc_open(pid, "ns/pid");

	if (fd < 0)
		return -1;
	if (fstat(fd, &sb) < 0) {
		close(fd);
		return -1;
	}
	*inode = sb.st_ino;
	return fd;
}

uint64_t task_pidns(pid_t pid)
{
	uint64_t inode = 0;
	_cleanup_close_ int fd = pidns_open(pid, &inode);

	return fd < 0 ? 0 : inode;
}

bool task_in_pidns(pid_t pid, uint64_t inode)
{
	uint64_t ino = 0;
	int fd = pidns_open(pid, &ino);

	while (fd >= 0 && ino != inode) {
		struct stat sb;
		int parent = ioctl(fd, NS_GET_PARENT);

		close(fd);
		fd = parent; /* fails at our own namespace: not below inode */
		if (fd >= 0 && fstat(fd, &sb) == 0)
			ino = sb.st_ino;
	}
	if (fd < 0)
		return false;
	close(fd);
	return true;
}
