/* Calls caught by SECCOMP_RET_TRACE, served inside the tracer's loop. The tracee is stopped and only this tracer can reap
 * it, so its number stays its own until we let go. */
#include "emul/trap_ptrace.h"

#include "emul/emul_impl.h"

static int stopped(const struct emul_task *t)
{
	return 0;
}

static const struct emul_access stop_access = { stopped };

long emul_trap_ptrace(const struct lx_world *w, struct emul_notes *notes, pid_t tid, enum lx_abi abi, unsigned long nr,
		      const uint64_t args[6])
{
	struct emul_task t = { .world = w, .tid = tid, .abi = abi, .access = &stop_access };
	int row = lx_row_by_nr(abi, nr);
	long r;

	if (row < 0)
		return EMUL_CONTINUE;
	for (int i = 0; i < 6; i++)
		t.args[i] = abi == LX_SYS32 ? (uint32_t)args[i] : args[i];
	r = emul_call_noted(&t, (unsigned)row, notes, (unsigned)nr);
	if (r == EMUL_CONTINUE)
		return r;
	return emul_regs_answer(tid, r) ? EMUL_GONE : r;
}
