/* The ptrace engine: seizes every thread of the processes that sessions cover, stops it at each system call, and tells the
 * holder what happened. It knows processes, threads and which sessions (a bit each) cover a process; what a session does
 * with a call is the holder's (eng_on_*()). One engine per process, since ptrace and waitpid() belong to the process. */
#ifndef EMUL_ENGINE_PTRACE_H
#define EMUL_ENGINE_PTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/host/err.h"
#include "lx_syscall/lx.h"

#define ENG_MAXSESSIONS 64

enum eng_mode { ENG_M_NONE, ENG_M_CONT, ENG_M_SYSCALL };

struct eng_proc {
	pid_t tgid;
	struct eng_proc *next;     /* of the hash chain */
	struct eng_thread *threads;
	unsigned nthread, nparked; /* parked: stopped, to be detached together with the rest */
	uint64_t parked_since;
	uint64_t mask;             /* sessions that cover it */
	bool init;                 /* the zone's init: followed for its children, never stopped at calls */
	bool own;                  /* still our own program on its way to exec: its calls are not the guest's */
	bool released;             /* ... but this exec of it already is */
};

/* What a thread is doing with its current call. A call that may only have been cut short by us, or by a signal that would
 * not have woken it natively, is held back (ENG_C_HELD) until the next stop tells; if it then goes on, the guest made one
 * call and sees one, and so do the probes (ENG_C_RESUME). */
enum eng_call { ENG_C_NONE, ENG_C_IN, ENG_C_HELD, ENG_C_RESUME };

struct eng_thread {
	pid_t tid;
	struct eng_thread *next;   /* of the hash chain */
	struct eng_thread *sibling, **psibling;
	struct eng_proc *proc;
	uint8_t mode;              /* enum eng_mode: how it was last resumed */
	uint8_t call;              /* enum eng_call */
	bool fresh;                /* its first stop is still to come */
	bool forked;               /* it has made children */
	bool queued;               /* has an event that is about to be handled */
	bool kicked;               /* interrupted by us since its last PTRACE_EVENT_STOP: what happens may be our doing */
	bool parked;               /* stopped, about to be detached with this signal */
	uint8_t parked_sig;
	uint8_t abi;               /* enum lx_abi of the call */
	int16_t row;               /* lx_rows[] index of the call, -1 unknown */
	int64_t nr;
	uint64_t arg0;
	uint64_t entered;          /* sessions whose entry probe this call passed: they get its return */
	int64_t result;            /* while ENG_C_HELD */
	uint64_t result_time;

	uint32_t gen;              /* tells it from other threads that had or will have this tid */

	/* Caches of what probes ask about it (holder_fire.c). */
	int schedstat;             /* descriptor, -1 if not open */
	int32_t zpid, ztid;        /* 0: not known yet */
	uint32_t nentry, nreturn;  /* intervals since the last vtimestamp, for its calibration */
	uint64_t vt_debt, vt_last;
	uint64_t comm_time;        /* when comm was read, 0: never */
	char comm[16];
};

struct eng_stop; /* what the kernel said about a system call stop */

struct eng_conf {
	pid_t zone_init;
	uint64_t zone_pidns;
	bool trap;                 /* also tracer of SECCOMP_RET_TRACE, and guests die with us */
};

struct eng {
	struct eng_conf conf;
	uint32_t gens;             /* threads ever seen */
	struct eng_proc *procs[1024];
	struct eng_thread **thread; /* hash of nbucket chains */
	unsigned nbucket, nthread;
	struct eng_thread *orphans; /* stopped children whose parent's event has not come yet; linked by sibling */
	unsigned nleaving;         /* processes with parked threads */
	uint64_t follow;           /* sessions that children inherit */
	uint64_t zone;             /* of these, the ones that cover the whole zone */
	uint64_t now;              /* CLOCK_MONOTONIC of the current stop */
	int sigfd;                 /* a non-blocking signalfd for SIGCHLD */
	pid_t hint;                /* whom the last SIGCHLD read by the holder was about */
	unsigned nschedstat;       /* open descriptors of threads */
	uint64_t next_scan;        /* engine_wait.c */
	bool scan_due;
	unsigned ask_from;
	uint64_t cpu_looked;       /* when we last looked where the guest runs, */
	int cpu;                   /* and bound ourselves to that CPU; -1: not bound */
	void *up;                  /* the holder */
};

void eng_init(struct eng *e, const struct eng_conf *c, int sigfd, void *up);
void eng_fini(struct eng *e);

/* Covers process pid for the sessions in mask, seizing its threads if nobody of us holds it yet. Once this returns, none
 * of its threads executes another instruction untraced. A child of `starter` that still runs its parent's program is a
 * command on its way to exec: what it does before is not the command's. */
int eng_attach(struct eng *e, pid_t pid, pid_t starter, uint64_t mask, struct err *err);
/* The same for every process of the zone, also those in nested pid namespaces; repeats until a pass finds no new one. */
int eng_attach_zone(struct eng *e, uint64_t mask, struct err *err);
/* Ends these sessions' cover everywhere. Detaching goes on in eng_poll(). */
void eng_drop(struct eng *e, uint64_t mask);
/* When eng_poll() is to be called again even if no SIGCHLD comes, ms; -1: never. */
int eng_wait_ms(const struct eng *e);
/* Handles the threads that have stopped, a bounded number of them; true if there may be more. */
bool eng_poll(struct eng *e);

struct eng_proc *eng_proc_find(struct eng *e, pid_t tgid);
struct eng_thread *eng_thread_find(struct eng *e, pid_t tid);

/* ---- What the holder is told (holder_fire.c). ---- */

/* Entry: returns the sessions that took note of the call. args are zero-extended for sys32. */
uint64_t eng_on_entry(struct eng *e, struct eng_thread *t, const uint64_t args[6]);
void eng_on_return(struct eng *e, struct eng_thread *t, int64_t result, uint64_t time, uint64_t mask);
/* Trap mode: the filter caught this call; its handler writes the result into the thread's registers, or lets it pass. */
void eng_on_trap(struct eng *e, struct eng_thread *t, enum lx_abi abi, unsigned long nr, const uint64_t args[6]);
/* A covered process ended with this wait status (-1: unknown). */
void eng_on_end(struct eng *e, struct eng_proc *p, int status);

#endif
