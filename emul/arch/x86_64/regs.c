/* Registers of stopped threads on x86_64 hosts, for 64- and 32-bit guests alike: the kernel shows both through the same
 * user_regs_struct, orig_rax being the call's number (-1 outside a call) and rax its result so far. */
#include "emul/engine_impl.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#define ERESTARTNOHAND 514 /* the kernel's own: restart unless a handler runs, then EINTR */

bool eng_regs_call(pid_t tid, struct eng_regs *c)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0, &r) < 0 || (long)r.orig_rax < 0)
		return false;
	c->abi = r.cs == 0x23 ? LX_SYS32 : LX_SYS64; /* the code segment of 32-bit code */
	c->nr = (long)r.orig_rax;
	c->result = c->abi == LX_SYS32 ? (int)r.rax : (long)r.rax;
	c->arg0 = c->abi == LX_SYS32 ? (uint32_t)r.rbx : r.rdi;
	return true;
}

void eng_regs_restart(pid_t tid)
{
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rax), -(long)ERESTARTNOHAND);
}
