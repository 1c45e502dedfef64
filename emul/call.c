/* A trapped call on its way through its handler: hooks before and after, the note of what it cost, and the copies in and
 * out of the guest's memory that handlers make. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "emul/emul_impl.h"
#include "lx_syscall/lx_handlers.h"

static _Atomic(const struct emul_hook *) hooks[LX_NROWS];

int emul_hook_set(unsigned row, const struct emul_hook *h)
{
	if (row >= lx_nrows)
		return -EINVAL;
	atomic_store(&hooks[row], h);
	return 0;
}

bool emul_hooked(unsigned row)
{
	return row < lx_nrows && atomic_load(&hooks[row]);
}

long emul_call(struct emul_task *t, unsigned row)
{
	const struct emul_hook *h = atomic_load(&hooks[row]);
	long r;

	if (!h || !h->pre || !h->pre(t, row, &r, h->arg)) {
		r = lx_calls[row] ? lx_calls[row](t, t->args, t->abi) : EMUL_CONTINUE;
		if (t->opaque)
			r = EMUL_CONTINUE;
	}
	if (h && h->post && r != EMUL_CONTINUE)
		r = h->post(t, row, r, h->arg);
	return r;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The reader looks for its thread and its number: the tid is taken away first and given back last, so that it never takes
 * one call's cost for another's. */
static void note(struct emul_notes *notes, pid_t tid, unsigned nr, uint64_t cost)
{
	struct emul_note *n = &notes->note[(unsigned)tid % EMUL_NNOTES];

	__atomic_store_n(&n->tid, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&n->nr, nr, __ATOMIC_RELAXED);
	__atomic_store_n(&n->cost, cost, __ATOMIC_RELAXED);
	__atomic_store_n(&n->tid, (uint32_t)tid, __ATOMIC_RELEASE);
}

long emul_call_noted(struct emul_task *t, unsigned row, struct emul_notes *notes, unsigned nr)
{
	uint64_t t0;
	long r;

	if (!notes)
		return emul_call(t, row);
	t0 = now_ns();
	r = emul_call(t, row);
	note(notes, t->tid, nr, now_ns() - t0);
	return r;
}

static int copied(struct emul_task *t, ssize_t n, size_t len)
{
	if (n == (ssize_t)len)
		return 0;
	if (n < 0 && errno == EPERM) {
		t->opaque = true;
		return -EPERM;
	}
	if (n < 0 && errno == ESRCH)
		return -ESRCH;
	return -EFAULT;
}

/* What was read counts only if the call is still there afterwards: else the number may already be another thread's. */
int emul_copyin(struct emul_task *t, uint64_t addr, void *dst, size_t len)
{
	struct iovec local = { dst, len }, remote = { (void *)(uintptr_t)addr, len };
	int r;

	if (!len)
		return 0;
	r = copied(t, process_vm_readv(t->tid, &local, 1, &remote, 1, 0), len);
	if (t->access->valid(t))
		return -ESRCH;
	return r;
}

/* process_vm_writev(2) honours page protections, as the kernel's own copy does and /proc/PID/mem does not. The call is
 * checked right before: to be fooled, the thread would have to be killed and reaped and its number dealt again within the
 * next microsecond, and then a process of the same user gets what the handler had to say. */
int emul_copyout(struct emul_task *t, uint64_t addr, const void *src, size_t len)
{
	struct iovec local = { (void *)(uintptr_t)src, len }, remote = { (void *)(uintptr_t)addr, len };

	if (!len)
		return 0;
	if (t->access->valid(t))
		return -ESRCH;
	return copied(t, process_vm_writev(t->tid, &local, 1, &remote, 1, 0), len);
}
