/* The seccomp program of a world: what the table says of each number of both ABIs, as a balanced decision tree over runs
 * of numbers with the same answer. It looks at nothing but architecture and number, so that the kernel can (and does)
 * remember in a bitmap which calls are always allowed. Written by hand rather than by libseccomp, which refuses numbers
 * newer than itself and rewrites the multiplexed calls of i386. */
#include "emul/emul.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/host/features.h"
#include "emul/emul_impl.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define NUMBERS 1024 /* above every known number; what lies beyond is ENOSYS, and so is whatever has the x32 bit */

struct run {
	uint32_t start; /* up to the next run's start */
	uint32_t action;
};

struct prog {
	struct sock_filter code[BPF_MAXINSNS];
	unsigned len;
	bool full;
};

static void emit(struct prog *p, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (p->len == BPF_MAXINSNS) {
		p->full = true;
		return;
	}
	p->code[p->len++] = (struct sock_filter){ code, jt, jf, k };
}

static uint32_t action_of(const struct lx_world *w, enum emul_trap trap, enum lx_abi abi, unsigned nr)
{
	int row = lx_row_by_nr(abi, nr), error = ENOSYS;
	enum lx_how how;

	if (row < 0)
		return SECCOMP_RET_ERRNO | ENOSYS;
	how = lx_world_how(w, (unsigned)row, abi, &error);
	if (how == LX_PASS && emul_hooked((unsigned)row))
		how = LX_EMULATE;
	switch (how) {
	case LX_PASS:
		return SECCOMP_RET_ALLOW;
	case LX_EMULATE:
		return trap == EMUL_TRAP_NOTIFY ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_TRACE;
	case LX_DENY:
		break;
	}
	return SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA);
}

static unsigned runs_make(const struct lx_world *w, enum emul_trap trap, enum lx_abi abi, struct run *runs)
{
	unsigned n = 0;

	for (unsigned nr = 0; nr < NUMBERS; nr++) {
		uint32_t a = action_of(w, trap, abi, nr);

		if (!n || runs[n - 1].action != a)
			runs[n++] = (struct run){ nr, a };
	}
	if (runs[n - 1].action != (SECCOMP_RET_ERRNO | ENOSYS))
		runs[n++] = (struct run){ NUMBERS, SECCOMP_RET_ERRNO | ENOSYS };
	return n;
}

/* Instructions that tree_emit() will need for n runs. */
static unsigned tree_size(unsigned n)
{
	unsigned left;

	if (n == 1)
		return 1;
	left = tree_size(n / 2);
	return (left > 255 ? 2 : 1) + left + tree_size(n - n / 2);
}

/* Expects the number in the accumulator; every path ends in a return. A conditional jump reaches 255 instructions, beyond
 * that an unconditional one takes over. */
static void tree_emit(struct prog *p, const struct run *runs, unsigned n)
{
	unsigned half = n / 2, left;

	if (n == 1) {
		emit(p, BPF_RET | BPF_K, 0, 0, runs[0].action);
		return;
	}
	left = tree_size(half);
	if (left > 255) {
		emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, runs[half].start);
		emit(p, BPF_JMP | BPF_JA, 0, 0, left);
	} else {
		emit(p, BPF_JMP | BPF_JGE | BPF_K, (uint8_t)left, 0, runs[half].start);
	}
	tree_emit(p, runs, half);
	tree_emit(p, runs + half, n - half);
}

static void abi_emit(struct prog *p, uint32_t arch, const struct run *runs, unsigned n)
{
	unsigned size = 1 + tree_size(n);

	emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, arch);
	emit(p, BPF_JMP | BPF_JA, 0, 0, size);
	emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	tree_emit(p, runs, n);
}

static bool runs_trap(const struct run *runs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (runs[i].action == SECCOMP_RET_USER_NOTIF)
			return true;
	return false;
}

int emul_filter_make(const struct lx_world *w, enum emul_trap trap, struct emul_filter *f, struct err *e)
{
	struct run *runs = malloc((NUMBERS + 1) * sizeof(*runs));
	struct prog *p = calloc(1, sizeof(*p));
	unsigned n;
	int r = 0;

	memset(f, 0, sizeof(*f));
	if (!runs || !p) {
		r = err_set(e, ENOMEM, "seccomp filter");
		goto out;
	}
	emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
	n = runs_make(w, trap, LX_SYS64, runs);
	f->listens = runs_trap(runs, n);
	abi_emit(p, AUDIT_ARCH_X86_64, runs, n);
	n = runs_make(w, trap, LX_SYS32, runs);
	f->listens |= runs_trap(runs, n);
	abi_emit(p, AUDIT_ARCH_I386, runs, n);
	emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS);
	if (p->full) {
		r = err_msg(e, E2BIG, "seccomp filter: more than %d instructions", BPF_MAXINSNS);
		goto out;
	}
	f->code = malloc(p->len * sizeof(p->code[0]));
	if (!f->code) {
		r = err_set(e, ENOMEM, "seccomp filter");
		goto out;
	}
	memcpy(f->code, p->code, p->len * sizeof(p->code[0]));
	f->len = (unsigned short)p->len;
	/* The filter guards a kernel interface, not data in the guest's own memory: without SPEC_ALLOW, kernels before 5.16
	 * slow the whole guest down by speculation mitigations. */
	f->flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	if (f->listens) {
		f->flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER;
		if (host_has(HOST_KILLABLE))
			f->flags |= SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	}
out:
	free(runs);
	free(p);
	return r;
}

void emul_filter_free(struct emul_filter *f)
{
	free(f->code);
	memset(f, 0, sizeof(*f));
}

/* seccomp(2). A kernel that lacks a flag says EINVAL: what is left then still filters, only less smoothly. */
int emul_filter_install(const struct emul_filter *f, int *listener)
{
	static const unsigned long optional[] = {
		0,
		SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
	};
	struct sock_fprog prog = { .len = f->len, .filter = f->code };
	long r = -1;

	*listener = -1;
	for (unsigned i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
		r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, f->flags & ~optional[i], &prog);
		if (r >= 0 || errno != EINVAL)
			break;
	}
	if (r < 0)
		return -errno;
	if (f->listens)
		*listener = (int)r;
	return 0;
}
