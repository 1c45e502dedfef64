/* What the files of emul/ that catch and answer calls share among themselves. */
#ifndef EMUL_EMUL_IMPL_H
#define EMUL_EMUL_IMPL_H

#include "emul/emul.h"

/* How a trap reaches its guest. */
struct emul_access {
	/* 0 while the trapped call still waits for its answer, so that t->tid is still the thread that made it; -ESRCH after. */
	int (*valid)(const struct emul_task *t);
};

/* True while a hook is set for the row. */
bool emul_hooked(unsigned row);

/* Runs a row like emul_call() and notes what it cost. */
long emul_call_noted(struct emul_task *t, unsigned row, struct emul_notes *notes, unsigned nr);

/* arch/: answers the call at whose SECCOMP_RET_TRACE stop thread tid is, instead of the kernel. 0 or -errno. */
int emul_regs_answer(pid_t tid, long result);

#endif
