/* The engine's heart: takes what the kernel reports about traced threads, keeps the tables right across fork, clone, exec and
 * death, and sets every stopped thread going again: watched, just held, or detached, with the signal it was about to get. */
#include "emul/engine_impl.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emul/taskinfo.h"

#define CPU_LOOK_NS 5000000u

#define ORPHAN_NS 100000000ull /* how long a child waits for its parent's event before its parent counts as dead */

void eng_init(struct eng *e, const struct eng_conf *c, int sigfd, void *up)
{
	memset(e, 0, sizeof(*e));
	e->conf = *c;
	e->sigfd = sigfd;
	e->up = up;
	e->cpu = -1;
	eng_call_init();
}

void eng_fini(struct eng *e)
{
	for (unsigned i = 0; i < e->nbucket; i++)
		while (e->thread[i])
			eng_thread_del(e, e->thread[i]);
	free(e->thread);
	e->thread = NULL;
	e->nbucket = 0;
}

/* Sets a stopped thread going. It is not detached inside a call, since an interruption that is still pending would cut the
 * call short with nobody there to mend it; nor while a result is held back. */
void eng_resume(struct eng *e, struct eng_thread *t, int sig)
{
	enum eng_mode mode = eng_proc_mode(e, t->proc);

	t->fresh = false;
	if (t->call == ENG_C_HELD) {
		mode = ENG_M_SYSCALL;
	} else if (t->call == ENG_C_IN && t->mode == ENG_M_SYSCALL && !eng_proc_wanted(e, t->proc)) {
		mode = ENG_M_SYSCALL;
		eng_kick(e, t); /* the last one may have been used up by this stop */
	} else if (!eng_proc_wanted(e, t->proc)) {
		eng_park(e, t, sig);
		return;
	}
	if (mode == ENG_M_CONT) { /* its calls are not watched any more */
		t->call = ENG_C_NONE;
		t->entered = 0;
	}
	t->mode = (uint8_t)mode;
	ptrace(mode == ENG_M_SYSCALL ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, 0, sig);
}

static struct eng_proc *child_proc(struct eng *e, const struct eng_proc *parent, pid_t pid)
{
	struct eng_proc *p = eng_proc_get(e, pid);

	if (p) {
		p->mask |= parent->mask & e->follow;
		p->own = parent->own;
	}
	return p;
}

/* t reports that it made a child. The child may have been faster: it waits as an orphan, or has found its parent by itself
 * and runs, or is even detached or dead by now; an unknown child is still to come only if we are its tracer. */
static void new_child(struct eng *e, struct eng_thread *t)
{
	unsigned long msg = 0;
	struct task_status st;
	struct eng_thread *c;
	struct eng_proc *p;
	pid_t pid;

	if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &msg) < 0 || !msg)
		return;
	pid = (pid_t)msg;
	t->forked = true;
	c = eng_thread_find(e, pid);
	if ((c && c->proc) || task_status_read(pid, &st) < 0 || st.tracer != getpid())
		return;
	p = st.tgid == t->proc->tgid ? t->proc : child_proc(e, t->proc, st.tgid);
	if (!p)
		return; /* no memory: detached at its first stop */
	if (c) {
		eng_thread_move(e, c, p);
		eng_resume(e, c, 0);
		return;
	}
	c = eng_thread_new(e, p, pid);
	if (c) {
		c->fresh = true;
		memcpy(c->comm, t->comm, sizeof(c->comm));
		c->comm_time = t->comm_time;
	}
}

/* A stop of a thread that nobody announced: a child that was faster than its parent's event. NULL: it has to wait. */
static struct eng_thread *adopt(struct eng *e, pid_t tid)
{
	struct task_status st;
	struct eng_proc *p, *parent;
	struct eng_thread *t;

	if (task_status_read(tid, &st) < 0)
		return NULL;
	p = eng_proc_find(e, st.tgid);
	if (!p) {
		parent = eng_proc_find(e, st.ppid);
		if (parent)
			p = child_proc(e, parent, st.tgid);
		else if (e->zone && (p = eng_proc_get(e, st.tgid)))
			p->mask |= e->zone;
	}
	t = eng_thread_new(e, p, tid);
	if (!t) {
		ptrace(PTRACE_DETACH, tid, 0, 0);
		return NULL;
	}
	if (!p) {
		t->fresh = true;
		t->result_time = e->now; /* since when it waits */
		return NULL;
	}
	return t;
}

/* Orphans whose parent died before it could tell belong to nobody's session. */
static void release_orphans(struct eng *e)
{
	struct eng_thread *t, *next;

	for (t = e->orphans; t; t = next) {
		struct eng_proc *p;

		next = t->sibling;
		if (e->now - t->result_time < ORPHAN_NS)
			continue;
		p = eng_proc_get(e, t->tid);
		if (!p)
			continue;
		eng_thread_move(e, t, p);
		eng_resume(e, t, 0);
	}
}

/* exec by a thread that is not the leader: it is the leader now and its old id is gone without a word. */
static void exec_event(struct eng *e, struct eng_thread *t)
{
	unsigned long msg = 0;
	struct eng_thread *old;

	ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &msg);
	old = (pid_t)msg != t->tid ? eng_thread_find(e, (pid_t)msg) : NULL;
	if (old) {
		t->mode = old->mode;
		t->call = old->call;
		t->abi = old->abi;
		t->row = old->row;
		t->nr = old->nr;
		t->arg0 = old->arg0;
		t->entered = old->entered;
		t->nentry = old->nentry;
		t->nreturn = old->nreturn;
		t->vt_debt = old->vt_debt;
		t->vt_last = old->vt_last;
		eng_schedstat_close(e, t);
		t->schedstat = old->schedstat;
		old->schedstat = -1;
		eng_thread_del(e, old);
	}
	t->comm_time = 0;
	t->proc->own = t->proc->init;
	t->proc->released = false;
}

static void thread_gone(struct eng *e, struct eng_thread *t, int status)
{
	struct eng_proc *p = t->proc;

	if (p && (t->tid == p->tgid || (p->threads == t && !t->sibling && !eng_thread_find(e, p->tgid))))
		eng_on_end(e, p, t->tid == p->tgid ? status : -1);
	if (p && p->threads == t && !t->sibling)
		p = NULL; /* goes with it */
	eng_thread_del(e, t);
	if (p)
		eng_release_if_all(e, p);
}

static bool is_stop_signal(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* PTRACE_EVENT_STOP: our interruption, a child's first stop, a group stop, or its end. */
static void event_stop(struct eng *e, struct eng_thread *t, int sig)
{
	t->kicked = false;
	if (!is_stop_signal(sig)) {
		eng_call_settle(e, t, true, 0);
		eng_resume(e, t, 0);
		return;
	}
	eng_call_settle(e, t, false, 0);
	if (!eng_proc_wanted(e, t->proc)) {
		eng_resume(e, t, 0); /* detached, it stays in its group stop */
		return;
	}
	t->fresh = false;
	ptrace(PTRACE_LISTEN, t->tid, 0, 0);
}

static void stopped(struct eng *e, struct eng_thread *t, int status)
{
	int sig = WSTOPSIG(status), event = (unsigned)status >> 16;

	switch (event) {
	case 0:
		break;
	case PTRACE_EVENT_STOP:
		event_stop(e, t, sig);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		new_child(e, t);
		eng_resume(e, t, 0);
		return;
	case PTRACE_EVENT_EXEC:
		exec_event(e, t);
		eng_resume(e, t, 0);
		return;
	case PTRACE_EVENT_SECCOMP:
		eng_call_trap(e, t);
		eng_resume(e, t, 0);
		return;
	default:
		eng_resume(e, t, 0);
		return;
	}
	if (sig == (SIGTRAP | 0x80)) {
		eng_call_stop(e, t);
		eng_resume(e, t, 0);
		return;
	}
	eng_call_settle(e, t, false, sig);
	eng_resume(e, t, sig);
}

/* Follows the guest to its CPU: a stop there costs half of one that wakes another CPU, for tracer and guest, and it is a
 * steady cost, which vtimestamp can subtract. */
static void follow_cpu(struct eng *e, const struct eng_thread *t)
{
	cpu_set_t set;
	int cpu;

	if (e->now - e->cpu_looked < CPU_LOOK_NS)
		return;
	e->cpu_looked = e->now;
	cpu = task_cpu(t->tid);
	if (cpu < 0 || cpu >= CPU_SETSIZE || cpu == e->cpu)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		e->cpu = cpu;
}

int eng_wait_ms(const struct eng *e)
{
	return e->scan_due ? 1 : e->orphans || e->nleaving ? 20 : -1;
}

bool eng_poll(struct eng *e)
{
	struct eng_events q;
	bool more = eng_collect(e, &q);

	if (e->orphans || e->nleaving) {
		e->now = eng_now();
		release_orphans(e);
		eng_release_parked(e);
	}
	for (unsigned i = 0; i < q.n; i++) {
		struct eng_thread *t = eng_thread_find(e, q.ev[i].tid);

		e->now = eng_now();
		if (t)
			t->queued = false;
		if (!WIFSTOPPED(q.ev[i].status)) {
			if (t)
				thread_gone(e, t, q.ev[i].status);
			continue;
		}
		if (!t)
			t = adopt(e, q.ev[i].tid);
		if (!t || !t->proc)
			continue;
		follow_cpu(e, t);
		stopped(e, t, q.ev[i].status);
	}
	return more;
}
