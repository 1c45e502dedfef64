/* Firing: from a system call stop to the clauses of every session that watches the process, and the tracer's own probes.
 * What the machine asks about the thread (memory, ids, names, CPU time) is answered here from /proc and process_vm_readv()
 * and only when a program asks, since each answer costs as much as the stop itself. */
#include "emul/holder_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "emul/notes.h"
#include "emul/taskinfo.h"
#include "emul/trap_ptrace.h"

#define COMM_NS 100000000ull /* a name can also be changed by others, through /proc: look again after this time */
#define CHILL_MAX_NS 500000000ull

/* What an event's task points to. */
struct fire {
	struct session *s;
	struct eng_thread *t;      /* NULL: the tracer's own context */
	pid_t tid;
	struct task_status status; /* tgid 0: not read yet */
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- Guest memory ---- */

static ssize_t mem_file(pid_t tid, uint64_t addr, void *buf, size_t len, bool write)
{
	_cleanup_close_ int fd = -1;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", tid);
	fd = open(path, (write ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return write ? pwrite(fd, buf, len, (off_t)addr) : pread(fd, buf, len, (off_t)addr);
}

/* Bytes read before the first one that is not there, or -errno. */
static ssize_t mem_read(pid_t tid, uint64_t addr, void *dst, size_t len)
{
	struct iovec local = { dst, len }, remote = { (void *)(uintptr_t)addr, len };
	ssize_t n = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	if (n < 0 && (errno == EPERM || errno == ENOSYS))
		n = mem_file(tid, addr, dst, len, false);
	return n < 0 ? -EFAULT : n;
}

static int op_copyin(const struct dvm_event *ev, uint64_t addr, void *dst, size_t len)
{
	const struct fire *f = ev->task;

	if (!f->t)
		return -EFAULT;
	return len == 0 || mem_read(f->tid, addr, dst, len) == (ssize_t)len ? 0 : -EFAULT;
}

static int op_copyout(const struct dvm_event *ev, uint64_t addr, const void *src, size_t len)
{
	const struct fire *f = ev->task;
	struct iovec local = { (void *)src, len }, remote = { (void *)(uintptr_t)addr, len };
	ssize_t n;

	if (!f->t || !f->s->opts.destructive)
		return -EFAULT;
	n = process_vm_writev(f->tid, &local, 1, &remote, 1, 0);
	return n == (ssize_t)len ? 0 : -EFAULT;
}

static long op_copyinstr(const struct dvm_event *ev, uint64_t addr, char *dst, size_t cap)
{
	const struct fire *f = ev->task;
	size_t len = 0;

	if (!f->t || !cap)
		return -EFAULT;
	while (len < cap - 1) {
		size_t chunk = 4096 - (addr & 4095); /* what follows this page may not be there */
		const char *nul;

		if (chunk > cap - 1 - len)
			chunk = cap - 1 - len;
		if (mem_read(f->tid, addr, dst + len, chunk) != (ssize_t)chunk)
			return -EFAULT;
		nul = memchr(dst + len, '\0', chunk);
		if (nul)
			return nul - dst;
		len += chunk;
		addr += chunk;
	}
	dst[len] = '\0';
	return (long)len;
}

/* ---- Built-ins ---- */

static const struct task_status *fire_status(struct fire *f)
{
	if (!f->status.tgid && task_status_read(f->tid, &f->status) < 0)
		f->status.tgid = f->tid; /* gone: all zero */
	return &f->status;
}

/* CPU time of the thread without what its stops cost it: it never goes back. */
static uint64_t thread_vtime(struct holder *h, struct eng_thread *t)
{
	uint64_t cpu, v;
	int fd;

	t->vt_debt += t->nentry * h->cost[0] + t->nreturn * h->cost[1];
	t->nentry = t->nreturn = 0;
	fd = t->schedstat >= 0 ? t->schedstat : task_schedstat_open(t->tid);
	if (fd < 0)
		return t->vt_last;
	cpu = task_cputime(fd);
	if (t->schedstat < 0 && h->eng.nschedstat < h->max_schedstat) {
		t->schedstat = fd; /* a read of an open one costs a tenth */
		h->eng.nschedstat++;
	} else if (t->schedstat < 0) {
		close(fd);
	}
	v = cpu > t->vt_debt ? cpu - t->vt_debt : 0;
	if (v > t->vt_last)
		t->vt_last = v;
	return t->vt_last;
}

/* Nanoseconds in our handler for the call that now returns, 0 if it was not emulated. */
static uint64_t call_cost(const struct holder *h, const struct eng_thread *t)
{
	const struct emul_note *n;

	if (!h->conf->notes || !t)
		return 0;
	n = &h->conf->notes->note[(uint32_t)t->tid % EMUL_NNOTES];
	if (__atomic_load_n(&n->tid, __ATOMIC_ACQUIRE) != (uint32_t)t->tid || n->nr != (uint32_t)t->nr)
		return 0;
	return n->cost;
}

static uint64_t op_builtin(const struct dvm_event *ev, int b)
{
	struct fire *f = ev->task;
	struct holder *h = f->s->h;

	switch (b) {
	case DVM_B_PPID:
		return (uint64_t)fire_status(f)->ppid;
	case DVM_B_UID:
		return fire_status(f)->uid;
	case DVM_B_GID:
		return fire_status(f)->gid;
	case DVM_B_ZUID:
		return h->conf->zone && f->t ? task_map_id(h->conf->zone_init, "uid_map", fire_status(f)->uid) :
					       fire_status(f)->uid;
	case DVM_B_ZGID:
		return h->conf->zone && f->t ? task_map_id(h->conf->zone_init, "gid_map", fire_status(f)->gid) :
					       fire_status(f)->gid;
	case DVM_B_VTIMESTAMP:
		return f->t ? thread_vtime(h, f->t) : clock_ns(CLOCK_THREAD_CPUTIME_ID);
	case DVM_B_WALLTIMESTAMP:
		return clock_ns(CLOCK_REALTIME);
	case DVM_B_CPU:
		return ev->cpu;
	case DVM_B_LXCOST:
		return call_cost(h, f->t);
	default:
		return 0;
	}
}

static long op_string(const struct dvm_event *ev, int b, char *dst, size_t cap)
{
	struct fire *f = ev->task;

	return b == DVM_B_CWD ? task_link(f->tid, "cwd", dst, cap) :
	       b == DVM_B_ROOT ? task_link(f->tid, "root", dst, cap) : -EINVAL;
}

/* Whether the process is pid or descends from it; parents that died are not remembered. */
static bool is_progeny(struct fire *f, uint64_t pid)
{
	struct task_status st = *fire_status(f);

	for (int depth = 0; depth < 256; depth++) {
		if ((uint64_t)st.tgid == pid)
			return true;
		if (st.ppid <= 0 || task_status_read(st.ppid, &st) < 0)
			return false;
	}
	return false;
}

static int op_act(const struct dvm_event *ev, int fn, uint64_t arg)
{
	struct fire *f = ev->task;
	struct timespec ts = { 0 };

	if (fn == DVM_F_PROGENYOF)
		return is_progeny(f, arg);
	if (!f->s->opts.destructive)
		return -EPERM;
	switch (fn) {
	case DVM_F_RAISE:
		return f->t && syscall(SYS_tgkill, ev->pid, ev->tid, (int)arg) == 0 ? 0 : -ESRCH;
	case DVM_F_STOP:
		return f->t && kill(ev->pid, SIGSTOP) == 0 ? 0 : -ESRCH;
	case DVM_F_CHILL:
		ts.tv_nsec = (long)(arg < CHILL_MAX_NS ? arg : CHILL_MAX_NS);
		return nanosleep(&ts, NULL) == 0 ? 0 : -errno;
	default:
		return -EINVAL;
	}
}

static const struct dvm_ops fire_ops = {
	.copyin = op_copyin,
	.copyout = op_copyout,
	.copyinstr = op_copyinstr,
	.builtin = op_builtin,
	.string = op_string,
	.act = op_act,
};

/* ---- System calls ---- */

static void thread_comm(struct eng *e, struct eng_thread *t)
{
	if (t->comm_time && e->now - t->comm_time < COMM_NS)
		return;
	if (task_comm(t->tid, t->comm) == 0)
		t->comm_time = e->now;
}

static void thread_zone_ids(struct holder *h, struct eng_thread *t, struct fire *f)
{
	const struct task_status *st;
	unsigned level;

	if (t->zpid)
		return;
	st = fire_status(f);
	level = !st->nns ? 0 : h->conf->zone ? (st->nns > 1) : st->nns - 1;
	t->zpid = st->nns ? st->nstgid[level] : t->proc->tgid;
	t->ztid = st->nns ? st->nspid[level] : t->tid;
}

/* Gathers what the clauses of these probes read. */
static void fire_gather(struct session *s, struct eng_thread *t, struct fire *f, struct dvm_event *ev, unsigned needs)
{
	int cpu;

	if (needs & SES_N_COMM)
		thread_comm(&s->h->eng, t);
	if (needs & SES_N_ZID) {
		thread_zone_ids(s->h, t, f);
		ev->zpid = t->zpid;
		ev->ztid = t->ztid;
	}
	if (needs & SES_N_PPID)
		ev->ppid = fire_status(f)->ppid;
	if (needs & SES_N_CPU) {
		cpu = task_cpu(t->tid);
		ev->cpu = cpu < 0 ? 0 : (uint16_t)cpu;
	}
}

/* Fires the probes of one call for one session. */
static void fire_call(struct session *s, struct eng_thread *t, struct dvm_event *ev, bool is_return)
{
	uint32_t i = t->row < 0 ? 0 : s->probe[is_return][t->abi][t->row];
	struct fire f = { .s = s, .t = t, .tid = t->tid };

	if (!i)
		return;
	ev->task = &f;
	for (; i; i = s->next[i - 1]) {
		if (s->needs[i - 1])
			fire_gather(s, t, &f, ev, s->needs[i - 1]);
		dvm_fire(&s->m, s->scratch, i - 1, ev);
	}
	session_wake(s);
}

static void fire_mask(struct holder *h, struct eng_thread *t, struct dvm_event *ev, uint64_t mask, bool is_return)
{
	ev->ops = &fire_ops;
	ev->pid = t->proc->tgid;
	ev->tid = t->tid;
	ev->tgen = t->gen;
	ev->execname = t->comm;
	ev->zonename = h->conf->zone ? h->conf->zone : "global";
	ev->lxhow = t->row < 0 ? "" : lx_how_name((enum lx_how)h->how[t->abi][t->row]);
	for (; mask; mask &= mask - 1) {
		struct session *s = h->session[__builtin_ctzll(mask)];

		if (s && !s->dead)
			fire_call(s, t, ev, is_return);
	}
}

uint64_t eng_on_entry(struct eng *e, struct eng_thread *t, const uint64_t args[6])
{
	struct holder *h = e->up;
	uint64_t mask = t->proc->mask & h->going;
	struct dvm_event ev = { .timestamp = e->now };

	if (!mask)
		return 0;
	if (t->row >= 0)
		lx_args_get(&lx_rows[t->row], t->abi, args, ev.arg);
	else
		memcpy(ev.arg, args, 6 * sizeof(uint64_t));
	fire_mask(h, t, &ev, mask, false);
	return mask;
}

void eng_on_return(struct eng *e, struct eng_thread *t, int64_t result, uint64_t time, uint64_t mask)
{
	struct holder *h = e->up;
	struct dvm_event ev = { .timestamp = time };

	mask &= h->going;
	if (!mask)
		return;
	ev.arg[0] = ev.arg[1] = (uint64_t)result;
	if (result < 0 && result >= -4095)
		ev.error = result <= -512 && result >= -516 ? EINTR : (int32_t)-result;
	fire_mask(h, t, &ev, mask, true);
}

void eng_on_trap(struct eng *e, struct eng_thread *t, enum lx_abi abi, unsigned long nr, const uint64_t args[6])
{
	const struct holder *h = e->up;

	if (h->conf->world)
		emul_trap_ptrace(h->conf->world, h->conf->notes, t->tid, abi, nr, args);
}

/* ---- The tracer's own probes ---- */

void session_fire_probe(struct session *s, uint32_t probe)
{
	struct fire f = { .s = s, .tid = s->consumer };
	struct dvm_event ev = {
		.ops = &fire_ops,
		.task = &f,
		.timestamp = clock_ns(CLOCK_MONOTONIC),
		.pid = s->consumer,
		.tid = s->consumer,
		.zpid = s->consumer,
		.ztid = s->consumer,
		.execname = "dtrace",
		.zonename = "global",
		.lxhow = "",
	};
	int cpu = sched_getcpu();

	ev.cpu = cpu < 0 ? 0 : (uint16_t)cpu;
	if (s->needs[probe] & SES_N_PPID)
		ev.ppid = fire_status(&f)->ppid;
	dvm_fire(&s->m, s->scratch, probe, &ev);
	session_wake(s);
}

void session_fire_own(struct session *s, enum dvm_probe_kind kind)
{
	const struct dvm_probe *p = (const void *)((const char *)s->img + s->img->probes.off);

	for (uint32_t i = 0; i < s->img->probes.count; i++)
		if (p[i].kind == kind && p[i].nenabling)
			session_fire_probe(s, i);
}
