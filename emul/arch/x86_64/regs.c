/* Registers of stopped threads on x86_64 hosts, for 64- and 32-bit guests alike: the kernel shows both through the same
 * user_regs_struct, orig_rax being the call's number (-1 outside a call) and rax its result so far. */
#include "emul/engine_impl.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#define ERESTARTNOHAND 514 /* the kernel's own: restart unless a handler runs, then EINTR */

bool eng_regs_call(pid_t tid, long *nr, long *result, enum lx_abi *abi)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0, &r) < 0 || (long)r.orig_rax < 0)
		return false;
	*nr = (long)r.orig_rax;
	*result = (long)r.rax;
	*abi = LX_SYS64;
	if (r.cs == 0x23) { /* 32-bit code segment: its values are 32 bits wide */
		*abi = LX_SYS32;
		*result = (int)r.rax;
	}
	return true;
}

void eng_regs_restart(pid_t tid)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rax), -(long)ERESTARTNOHAND);
}
