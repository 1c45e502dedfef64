/* What handlers need to know of a guest's threads beyond their memory: read from the host's /proc, valid for as long as
 * the trapped call waits. */
#ifndef EMUL_GUEST_H
#define EMUL_GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/utsname.h>

/* personality(2) of a thread, 0 if it cannot be read. */
unsigned long guest_personality(pid_t tid);

/* Inode number of a thread's namespace ("uts", "user"; tid 0: ours), 0 if it cannot be read. */
uint64_t guest_ns(pid_t tid, const char *ns);

/* The host's number of the thread that `tid` calls `pid` (any thread id of its pid namespace): -ESRCH if there is none. */
pid_t guest_pid_to_host(pid_t tid, pid_t pid);

/* True if `tid` may change how `target` is scheduled, by the kernel's rule: same effective user as the target's real or
 * effective one, or CAP_SYS_NICE in the user namespace of both. */
bool guest_may_sched(pid_t tid, pid_t target);

/* Seconds that the thread's time namespace adds to CLOCK_BOOTTIME. */
void guest_boottime_offset(pid_t tid, int64_t *sec, int64_t *nsec);

/* uname(2) as the kernel would answer in the thread's UTS namespace. 0, or -errno where that namespace is closed to us. */
int guest_uts(pid_t tid, struct utsname *u);

#endif
