/* What /proc says about a thread of the host: read on demand, checked, nothing cached. */
#ifndef EMUL_TASKINFO_H
#define EMUL_TASKINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TASK_NNS 8 /* levels of pid namespaces that we look at */

struct task_status { /* /proc/TID/status */
	char state; /* R S D T t Z X ... */
	pid_t tgid, ppid, tracer;
	uid_t uid, euid; /* real ids (and the effective user) as the reader's user namespace sees them */
	gid_t gid;
	pid_t nspid[TASK_NNS], nstgid[TASK_NNS]; /* [0]: the reader's namespace, then inwards */
	unsigned nns;
	uint64_t sigblk, sigign, sigcgt; /* bit sig - 1 */
	uint64_t capeff; /* bit per capability, of its own user namespace */
};

int task_status_read(pid_t tid, struct task_status *st); /* 0 or -ESRCH */

/* The thread's own name; at most 15 bytes and a NUL. 0 or -ESRCH. */
int task_comm(pid_t tid, char comm[16]);
/* CPU time used by the thread, ns, through a descriptor of /proc/TID/schedstat. 0 if it is gone. */
int task_schedstat_open(pid_t tid);
uint64_t task_cputime(int schedstat);
/* The CPU it last ran on, -1 if it is gone. */
int task_cpu(pid_t tid);
/* Whether the thread has children of its own; false where the kernel does not tell. */
bool task_has_children(pid_t tid);
/* The target of /proc/TID/<link> (cwd, root, exe): bytes written without NUL, or -errno. */
long task_link(pid_t tid, const char *link, char *dst, size_t cap);
/* id as the map file (uid_map, gid_map) of process pid shows it inside; the id itself where there is no map, 65534 where it
 * is not mapped. */
uint32_t task_map_id(pid_t pid, const char *map, uint32_t id);
/* Inode of its pid namespace (the one it lives in), 0 if unknown. */
uint64_t task_pidns(pid_t pid);
/* True if that namespace is `inode` or lies below it. */
bool task_in_pidns(pid_t pid, uint64_t inode);

#endif
