/* Attaching and letting go. A process is held while a session covers it (in trap mode: always); all its threads are seized
 * and interrupted once, so that none runs on unwatched. Letting go needs a stop too, so threads are interrupted,
 * parked as they stop, and detached when all of a process are. */
#include "emul/engine_impl.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "emul/taskinfo.h"

/* Do two processes run the same program? 0 is ourselves. */
static bool same_program(pid_t a, pid_t b)
{
	struct stat sa, sb;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", a);
	if (stat(path, &sa) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", b ? b : getpid());
	return stat(path, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

bool eng_proc_wanted(const struct eng *e, const struct eng_proc *p)
{
	return p->mask || e->conf.trap;
}

enum eng_mode eng_proc_mode(const struct eng *e, const struct eng_proc *p)
{
	return p->mask && !p->init ? ENG_M_SYSCALL : ENG_M_CONT;
}

/* Threads of a process are let go together: a signal that the process ignores is queued as long as the thread that it is
 * sent to is traced, and would then wake another one that is not traced any more and cut its call short. */
#define PARK_NS 50000000ull /* but one that does not stop holds the others up no longer than this */

void eng_unpark(struct eng *e, struct eng_thread *t)
{
	if (!t->parked)
		return;
	t->parked = false;
	if (!--t->proc->nparked)
		e->nleaving--;
}

static void let_go(struct eng *e, struct eng_thread *t)
{
	ptrace(PTRACE_DETACH, t->tid, 0, t->parked_sig);
	eng_thread_del(e, t);
}

static void release(struct eng *e, struct eng_proc *p)
{
	pid_t tgid = p->tgid;
	bool many = p->nthread > 1;

	/* First those that SIGCHLD is sent to. p goes with its last thread. */
	for (unsigned pass = many ? 0 : 1; pass < 2; pass++) {
		unsigned left = p->nparked;
		struct eng_thread *t, *next;

		for (t = p->threads; left; t = next) {
			next = t->sibling;
			if (!t->parked)
				continue;
			left--;
			if (pass || t->forked || t->tid == p->tgid || task_has_children(t->tid))
				let_go(e, t);
		}
		if (!pass && !eng_proc_find(e, tgid))
			return;
	}
}

void eng_release_if_all(struct eng *e, struct eng_proc *p)
{
	if (p->nparked == p->nthread)
		release(e, p);
}

void eng_park(struct eng *e, struct eng_thread *t, int sig)
{
	struct eng_proc *p = t->proc;

	t->parked = true;
	t->parked_sig = (uint8_t)sig;
	if (!p->nparked++) {
		p->parked_since = e->now;
		e->nleaving++;
	}
	eng_release_if_all(e, p);
}

void eng_release_parked(struct eng *e)
{
	struct eng_proc *p, *next;

	for (unsigned i = 0; e->nleaving && i < sizeof(e->procs) / sizeof(e->procs[0]); i++) {
		for (p = e->procs[i]; p; p = next) {
			next = p->next;
			if (p->nparked && e->now - p->parked_since > PARK_NS)
				release(e, p);
		}
	}
}

/* Makes every thread of a process that is wanted (again) stop, so that it goes on in the right mode. */
static void recover(struct eng *e, struct eng_proc *p)
{
	for (struct eng_thread *t = p->threads; t; t = t->sibling) {
		if (t->parked) {
			eng_unpark(e, t);
			eng_resume(e, t, t->parked_sig);
		} else if (t->mode != eng_proc_mode(e, p)) {
			eng_kick(e, t);
		}
	}
}

void eng_kick(struct eng *e, struct eng_thread *t)
{
	if (t->fresh) /* its first stop is under way */
		return;
	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) == 0)
		t->kicked = true;
}

static int yama_scope(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	return f && fscanf(f, "%d", &scope) == 1 ? scope : 0;
}

/* Says why a process could not be seized, and what to do. */
static int seize_error(pid_t pid, int error, struct err *err)
{
	struct task_status st;
	char comm[16];

	if (error != EPERM && error != ESRCH)
		return err_set(err, error, "process %d: cannot trace it", pid);
	if (error == ESRCH || task_status_read(pid, &st) < 0 || st.state == 'Z' || st.state == 'X')
		return err_msg(err, ESRCH, "process %d: no such process", pid);
	if (st.tracer) {
		if (task_comm(st.tracer, comm) < 0)
			strcpy(comm, "?");
		return err_msg(err, EPERM, "process %d is already traced by %s (pid %d): end that first", pid, comm,
			       st.tracer);
	}
	if (st.uid != getuid() && getuid() != 0)
		return err_msg(err, EPERM, "process %d belongs to another user: run as that user or as root", pid);
	if (yama_scope() > 0 && getuid() != 0)
		return err_msg(err, EPERM,
			       "process %d: the host lets only root attach to running processes "
			       "(kernel.yama.ptrace_scope is %d): run as root, or `sysctl kernel.yama.ptrace_scope=0`",
			       pid, yama_scope());
	return err_msg(err, EPERM, "process %d may not be traced (a kernel thread, or a program with privileges)%s", pid,
		       getuid() ? ": try as root" : "");
}

/* Seizes one thread that is already in the table. 0 or -errno; -ESRCH also for zombies. */
static int seize_thread(struct eng *e, struct eng_thread *t)
{
	unsigned long opts = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE;
	struct task_status st;
	int error;

	if (e->conf.trap)
		opts |= PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
	if (ptrace(PTRACE_SEIZE, t->tid, 0, opts) == 0)
		return 0;
	error = errno;
	if (error != EPERM)
		return -error;
	if (task_status_read(t->tid, &st) < 0 || st.state == 'Z' || st.state == 'X')
		return -ESRCH;
	if (st.tracer == getpid()) { /* born traced; its first stop is about to be reported */
		t->fresh = true;
		return 0;
	}
	return -error;
}

/* One pass over the threads of p. Number of new ones, or -errno if none could be seized. */
static int seize_pass(struct eng *e, pid_t pid, uint64_t mask, bool own)
{
	char path[32];
	DIR *d;
	struct dirent *de;
	int n = 0, r = -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((de = readdir(d))) {
		pid_t tid = atoi(de->d_name);
		struct eng_proc *p;
		struct eng_thread *t;

		if (tid <= 0 || eng_thread_find(e, tid))
			continue;
		p = eng_proc_get(e, pid);
		t = p ? eng_thread_new(e, p, tid) : NULL;
		if (!t) {
			r = -ENOMEM;
			break;
		}
		r = seize_thread(e, t);
		if (r < 0) {
			eng_thread_del(e, t);
			continue;
		}
		p->mask |= mask;
		p->own = own;
		p->init = pid == e->conf.zone_init;
		n++;
	}
	closedir(d);
	return n ? n : eng_proc_find(e, pid) ? 0 : r;
}

/* starter: see eng_attach(); -1: nobody is. */
static int seize_process(struct eng *e, pid_t pid, pid_t starter, uint64_t mask, struct err *err)
{
	bool own = pid == e->conf.zone_init || (starter >= 0 && same_program(pid, starter));
	struct eng_proc *p = eng_proc_find(e, pid);
	int n;

	if (p) { /* held already, but some of its threads may have been let go a moment ago */
		own = p->own;
		p->mask |= mask;
	}
	do
		n = seize_pass(e, pid, mask, own);
	while (n > 0);
	if (n < 0)
		return seize_error(pid, -n, err);
	/* Only now, when all are seized, for the reason given at eng_unpark(). */
	recover(e, eng_proc_find(e, pid));
	return 0;
}

int eng_attach(struct eng *e, pid_t pid, pid_t starter, uint64_t mask, struct err *err)
{
	struct task_status st;
	int r;

	r = pid > 0 ? task_status_read(pid, &st) : -ESRCH;
	if (r < 0)
		return seize_error(pid, -r, err);
	if (st.tgid == getpid())
		return err_msg(err, EINVAL, "process %d is the tracer itself", pid);
	return seize_process(e, st.tgid, st.ppid == starter ? starter : -1, mask, err);
}

int eng_attach_zone(struct eng *e, uint64_t mask, struct err *err)
{
	unsigned fresh;

	do {
		DIR *d = opendir("/proc");
		struct dirent *de;

		if (!d)
			return err_set(err, errno, "/proc");
		fresh = 0;
		while ((de = readdir(d))) {
			pid_t pid = atoi(de->d_name);
			struct eng_proc *p = pid > 0 ? eng_proc_find(e, pid) : NULL;

			if (pid <= 0 || (p && (p->mask & mask) == mask))
				continue;
			if (!p && (pid == getpid() || !task_in_pidns(pid, e->conf.zone_pidns)))
				continue;
			/* One that a guest's own debugger holds stays with it. */
			if (seize_process(e, pid, 0, mask, NULL) == 0)
				fresh++;
		}
		closedir(d);
	} while (fresh);
	return 0;
}

void eng_drop(struct eng *e, uint64_t mask)
{
	for (unsigned i = 0; i < e->nbucket; i++) {
		for (struct eng_thread *t = e->thread[i]; t; t = t->next) {
			t->entered &= ~mask;
			if (!t->proc)
				continue;
			t->proc->mask &= ~mask;
			if (!eng_proc_wanted(e, t->proc))
				eng_kick(e, t);
		}
	}
	e->follow &= ~mask;
	e->zone &= ~mask;
}
