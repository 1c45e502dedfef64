/* The second way to catch guest calls: the filter answers SECCOMP_RET_TRACE and the zone's only tracer runs the same
 * handlers that the monitor runs under user notification. The tracer must have set PTRACE_O_TRACESECCOMP. */
#ifndef EMUL_TRAP_PTRACE_H
#define EMUL_TRAP_PTRACE_H

#include "emul/emul.h"

/* Serves one PTRACE_EVENT_SECCOMP stop of tracee `tid`: finds the row, runs its handler, notes its cost, and writes the
 * result into the stopped thread's registers so that the kernel skips the call. args: as trapped (sys32: zero-extended).
 * Returns the result that the guest will see (>= 0 or -errno); EMUL_CONTINUE: registers untouched, the kernel does the
 * call; EMUL_GONE: the thread died under us. The caller then resumes the thread as from any other stop. Blocks for about
 * a millisecond at most. `notes` may be NULL. */
#define EMUL_GONE (-4097L)
long emul_trap_ptrace(const struct lx_world *w, struct emul_notes *notes, pid_t tid, enum lx_abi abi, unsigned long nr,
		      const uint64_t args[6]);

#endif
