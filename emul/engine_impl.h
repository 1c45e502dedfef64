/* What the files of the ptrace engine share. */
#ifndef EMUL_ENGINE_IMPL_H
#define EMUL_ENGINE_IMPL_H

#include "emul/engine_ptrace.h"

/* engine_table.c */
struct eng_proc *eng_proc_get(struct eng *e, pid_t tgid); /* found or new; NULL: no memory */
struct eng_thread *eng_thread_new(struct eng *e, struct eng_proc *p, pid_t tid);
void eng_thread_del(struct eng *e, struct eng_thread *t); /* its process goes with the last thread */
void eng_thread_move(struct eng *e, struct eng_thread *t, struct eng_proc *p);

void eng_schedstat_close(struct eng *e, struct eng_thread *t);

/* engine_attach.c */
void eng_park(struct eng *e, struct eng_thread *t, int sig); /* unwanted and stopped: detached when all of its process are */
void eng_unpark(struct eng *e, struct eng_thread *t);
void eng_release_parked(struct eng *e); /* what has been parked for too long */
void eng_release_if_all(struct eng *e, struct eng_proc *p);
/* Interrupts the thread, so that it stops even if nothing happens to it. Harmless when repeated; any stop that comes first
 * may use the interruption up. */
void eng_kick(struct eng *e, struct eng_thread *t);
bool eng_proc_wanted(const struct eng *e, const struct eng_proc *p);
enum eng_mode eng_proc_mode(const struct eng *e, const struct eng_proc *p);

/* engine_wait.c */
#define ENG_NEVENTS 128
struct eng_events {
	unsigned n;
	struct {
		pid_t tid;
		int status; /* of waitpid() */
	} ev[ENG_NEVENTS];
};
uint64_t eng_now(void); /* CLOCK_MONOTONIC */
bool eng_collect(struct eng *e, struct eng_events *q); /* true: there is more */

/* engine_ptrace.c */
void eng_resume(struct eng *e, struct eng_thread *t, int sig);

/* engine_call.c: system call stops, and calls cut short */
void eng_call_stop(struct eng *e, struct eng_thread *t);
/* The thread stopped for something else while a result was held back, or was attached in the middle of a call. `ours`: the
 * stop is our own interruption; sig: the signal about to be delivered, 0 if none. */
void eng_call_settle(struct eng *e, struct eng_thread *t, bool ours, int sig);
void eng_call_flush(struct eng *e, struct eng_thread *t); /* a held result is final */
void eng_call_trap(struct eng *e, struct eng_thread *t); /* PTRACE_EVENT_SECCOMP */
void eng_call_init(void);

/* arch/x86_64/regs.c */
struct eng_regs {
	enum lx_abi abi;
	long nr, result;
	uint64_t arg0;
};
/* The call that a stopped thread was in when something interrupted it. False outside a call. */
bool eng_regs_call(pid_t tid, struct eng_regs *c);
/* Makes the kernel restart the interrupted call as if no signal had come. */
void eng_regs_restart(pid_t tid);

#endif
