/* Answering a call that SECCOMP_RET_TRACE stopped before the kernel did it. */
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "emul/emul_impl.h"

static int poke(pid_t tid, size_t offset, unsigned long value)
{
	return ptrace(PTRACE_POKEUSER, tid, (void *)offset, (void *)value) ? -errno : 0;
}

int emul_regs_answer(pid_t tid, long result)
{
	/* No call has the number -1: the kernel skips it and leaves the result register as we set it. */
	int r = poke(tid, offsetof(struct user, regs.orig_rax), -1UL);

	return r ? r : poke(tid, offsetof(struct user, regs.rax), (unsigned long)result);
}
