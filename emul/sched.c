/* Processors of a world that shows fewer than the host has: guest CPU n is the n-th of the host CPUs that the zone is
 * bound to. Affinity masks are translated both ways; getcpu(2) is answered only where the numbers differ. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emul/emul_impl.h"
#include "emul/guest.h"
#include "emul/taskinfo.h"
#include "lx_syscall/lx_handlers.h"

#define WORDS 16
#define BITS (WORDS * 64)

struct mask {
	uint64_t w[WORDS];
};

static bool bit(const uint64_t *w, unsigned n)
{
	return w[n / 64] >> (n % 64) & 1;
}

static void bit_set(struct mask *m, unsigned n)
{
	m->w[n / 64] |= 1ULL << (n % 64);
}

/* Bytes of the kernel's own cpu masks: longer ones of the guest are cut to it, and it is what getaffinity returns. */
static size_t mask_bytes(void)
{
	struct mask m;
	long n = syscall(SYS_sched_getaffinity, 0, sizeof(m), &m);

	return n > 0 ? (size_t)n : sizeof(m);
}

/* Guest numbers to host numbers. */
static void to_host(const struct lx_world *w, const struct mask *guest, struct mask *host)
{
	unsigned n = 0;

	memset(host, 0, sizeof(*host));
	for (unsigned cpu = 0; cpu < BITS && n < w->cpus; cpu++)
		if (bit(w->cpu_mask, cpu) && bit(guest->w, n++))
			bit_set(host, cpu);
}

/* Host numbers to guest numbers; host CPUs that the world does not have are left out. */
static void to_guest(const struct lx_world *w, const struct mask *host, struct mask *guest)
{
	unsigned n = 0;

	memset(guest, 0, sizeof(*guest));
	for (unsigned cpu = 0; cpu < BITS && n < w->cpus; cpu++) {
		if (!bit(w->cpu_mask, cpu))
			continue;
		if (bit(host->w, cpu))
			bit_set(guest, n);
		n++;
	}
}

/* sched_setaffinity(2). The kernel reads the mask first, then looks for the thread, then for permission; i386 masks are
 * read in whole words of 32 bits, and all of these count. */
long lx_sched_setaffinity(struct emul_task *t, const struct lx_sched_setaffinity_args *a)
{
	size_t len = (uint32_t)a->len, full = mask_bytes();
	struct mask guest = { 0 }, host;
	pid_t target;
	int r;

	if (len > full)
		len = full;
	if (t->abi == LX_SYS32)
		len = (len + 3) & ~(size_t)3;
	r = emul_copyin(t, a->mask, guest.w, len);
	if (r)
		return r;
	target = guest_pid_to_host(t->tid, a->pid);
	if (target < 0)
		return target;
	if (!guest_may_sched(t->tid, target))
		return -EPERM;
	if (t->access->valid(t))
		return -ESRCH;
	to_host(t->world, &guest, &host);
	return syscall(SYS_sched_setaffinity, target, sizeof(host), &host) ? -errno : 0;
}

/* sched_getaffinity(2): bytes written. */
long lx_sched_getaffinity(struct emul_task *t, const struct lx_sched_getaffinity_args *a)
{
	size_t len = (uint32_t)a->len, word = t->abi == LX_SYS64 ? 8 : 4, full;
	struct mask guest, host = { 0 };
	pid_t target;
	long n;
	int r;

	if ((uint32_t)(len * 8) < t->world->cpus || len % word) /* overflows as it does in the kernel */
		return -EINVAL;
	target = guest_pid_to_host(t->tid, a->pid);
	if (target < 0)
		return target;
	n = syscall(SYS_sched_getaffinity, target, sizeof(host), &host);
	if (n < 0)
		return -errno;
	full = (size_t)n;
	to_guest(t->world, &host, &guest);
	if (len > full)
		len = full;
	r = emul_copyout(t, a->mask, guest.w, len);
	return r ? r : (long)len;
}

static bool same_numbers(const struct lx_world *w)
{
	for (unsigned n = 0; n < w->cpus && n < BITS; n++)
		if (!bit(w->cpu_mask, n))
			return false;
	return true;
}

/* getcpu(2); the world has one memory node. Most programs ask the vDSO, which knows nothing of all this. */
long lx_getcpu(struct emul_task *t, const struct lx_getcpu_args *a)
{
	int cpu, r = 0, q = 0;
	uint32_t n = 0, node = 0;

	if (same_numbers(t->world))
		return EMUL_CONTINUE;
	cpu = task_cpu(t->tid);
	for (int c = 0; c < cpu && c < BITS; c++)
		n += bit(t->world->cpu_mask, (unsigned)c);
	if (a->cpu)
		r = emul_copyout(t, a->cpu, &n, sizeof(n));
	if (a->node)
		q = emul_copyout(t, a->node, &node, sizeof(node));
	return r ? r : q;
}
