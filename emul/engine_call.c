/* System call stops: which call, and exactly one entry and one return for each that the guest makes. The difficulty is in
 * calls that are cut short because of us: an interruption to attach or detach, or a signal that the guest ignores, which
 * wakes a traced thread but not an untraced one. The kernel restarts most by itself (ERESTART*); those that end with EINTR
 * are made to restart. Either way the guest made one call, so its result is held back until the next stop tells which. */
#include "emul/engine_impl.h"

#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

#include "emul/taskinfo.h"

/* Results that never reach the guest (include/linux/errno.h). */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

static int row_execve, row_execveat, row_restart, row_prctl, row_socketcall;

#define SOCKETCALL_CONNECT 3 /* goes on in the background: a second one would answer EALREADY */

/* Calls that answer EINTR for any wake-up though nothing has happened yet: restarting them is what would have gone on
 * natively (signal(7) lists them; reads and sends are those on sockets with a timeout). */
static const char *const restartable_names[] = {
	"epoll_wait", "epoll_pwait", "epoll_pwait2", "semop", "semtimedop", "semtimedop_time64", "ipc", "rt_sigtimedwait",
	"rt_sigtimedwait_time64", "io_getevents", "io_uring_enter", "read", "readv", "recvfrom", "recvmsg", "recvmmsg",
	"recvmmsg_time64", "recv", "accept", "accept4", "write", "writev", "sendto", "sendmsg", "sendmmsg", "send",
};
static int restartable[sizeof(restartable_names) / sizeof(restartable_names[0])];

void eng_call_init(void)
{
	for (unsigned i = 0; i < sizeof(restartable) / sizeof(restartable[0]); i++)
		restartable[i] = lx_row_by_name(restartable_names[i]);
	row_execve = lx_row_by_name("execve");
	row_execveat = lx_row_by_name("execveat");
	row_restart = lx_row_by_name("restart_syscall");
	row_socketcall = lx_row_by_name("socketcall");
	row_prctl = lx_row_by_name("prctl");
}

static bool cut_short(int row, uint64_t arg0, int64_t result)
{
	switch (result) {
	case -ERESTARTSYS:
	case -ERESTARTNOINTR:
	case -ERESTARTNOHAND:
	case -ERESTART_RESTARTBLOCK:
		return true;
	case -EINTR:
		if (row == row_socketcall)
			return arg0 != SOCKETCALL_CONNECT;
		for (unsigned i = 0; row >= 0 && i < sizeof(restartable) / sizeof(restartable[0]); i++)
			if (restartable[i] == row)
				return true;
		return false;
	default:
		return false;
	}
}

/* Would this signal have gone unnoticed natively? Traced threads are woken even by ignored ones. */
static bool signal_ignored(pid_t tid, int sig)
{
	struct task_status st;
	uint64_t bit = 1ull << (sig - 1);

	if (sig < 1 || sig > 64 || task_status_read(tid, &st) < 0)
		return false;
	if (st.sigign & bit)
		return true;
	if (st.sigcgt & bit)
		return false;
	return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

void eng_call_flush(struct eng *e, struct eng_thread *t)
{
	if (t->call != ENG_C_HELD && t->call != ENG_C_RESUME)
		return;
	t->call = ENG_C_NONE;
	if (t->entered)
		eng_on_return(e, t, t->result, t->result_time, t->entered);
	t->entered = 0;
}

void eng_call_settle(struct eng *e, struct eng_thread *t, bool ours, int sig)
{
	struct eng_regs c;

	if (t->call == ENG_C_NONE && t->mode != ENG_M_SYSCALL && eng_regs_call(t->tid, &c)) {
		/* Not watched until now: a call that it was in already fires nothing. */
		int row = lx_row_by_nr(c.abi, (unsigned long)c.nr);

		if (!cut_short(row, c.arg0, c.result))
			return;
		t->row = (int16_t)row;
		t->abi = (uint8_t)c.abi;
		t->nr = c.nr;
		t->arg0 = c.arg0;
		t->entered = 0;
		t->result = c.result;
		t->call = ENG_C_HELD;
	}
	if (t->call != ENG_C_HELD && t->call != ENG_C_RESUME)
		return;
	if (!ours && !(sig && signal_ignored(t->tid, sig))) {
		eng_call_flush(e, t);
		return;
	}
	if (t->call == ENG_C_HELD && t->result == -EINTR)
		eng_regs_restart(t->tid);
	t->call = t->mode == ENG_M_SYSCALL || eng_proc_mode(e, t->proc) == ENG_M_SYSCALL ? ENG_C_RESUME : ENG_C_NONE;
}

static void call_entry(struct eng *e, struct eng_thread *t, const struct __ptrace_syscall_info *si)
{
	struct eng_proc *p = t->proc;
	uint64_t args[6];
	int row = -1;

	t->nreturn++;
	if (si->arch == AUDIT_ARCH_X86_64 || si->arch == AUDIT_ARCH_I386) {
		enum lx_abi abi = si->arch == AUDIT_ARCH_I386 ? LX_SYS32 : LX_SYS64;

		row = lx_row_by_nr(abi, (unsigned long)si->entry.nr);
		if (t->call == ENG_C_RESUME && (row == t->row || row == row_restart)) {
			t->call = ENG_C_IN;
			return;
		}
		eng_call_flush(e, t);
		t->abi = (uint8_t)abi;
	}
	t->call = ENG_C_IN;
	t->row = (int16_t)row;
	t->nr = (int64_t)si->entry.nr;
	t->arg0 = si->entry.args[0];
	t->entered = 0;
	if (p->own) {
		if (row < 0 || (row != row_execve && row != row_execveat))
			return;
		p->own = false;
		p->released = true;
	}
	if (row < 0)
		return;
	for (unsigned i = 0; i < 6; i++)
		args[i] = si->entry.args[i];
	t->entered = eng_on_entry(e, t, args);
}

static void call_exit(struct eng *e, struct eng_thread *t, int64_t result)
{
	struct eng_proc *p = t->proc;

	t->nentry++;
	if (t->call != ENG_C_IN) { /* it was in this call before we watched: no entry, so no return */
		t->call = ENG_C_NONE;
		t->entered = 0;
		t->row = -1;
	}
	if (cut_short(t->row, t->arg0, result)) {
		t->result = result;
		t->result_time = e->now;
		t->call = ENG_C_HELD;
		/* What cut it short shows at the next stop. There is one in any case: an interruption may be used up by
		 * now, and an ignored signal taken by another thread. */
		eng_kick(e, t);
		return;
	}
	t->call = ENG_C_NONE;
	if (t->row >= 0 && t->row == row_prctl)
		t->comm_time = 0;
	if (t->entered)
		eng_on_return(e, t, result, e->now, t->entered);
	t->entered = 0;
	if (p->released) { /* the exec failed: our own code goes on */
		p->released = false;
		p->own = result < 0;
	}
}

void eng_call_trap(struct eng *e, struct eng_thread *t)
{
	struct __ptrace_syscall_info si;
	uint64_t args[6];

	memset(&si, 0, sizeof(si));
	if (!e->conf.trap || ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(si), &si) <= 0 ||
	    si.op != PTRACE_SYSCALL_INFO_SECCOMP)
		return;
	for (unsigned i = 0; i < 6; i++)
		args[i] = si.seccomp.args[i];
	eng_on_trap(e, t, si.arch == AUDIT_ARCH_I386 ? LX_SYS32 : LX_SYS64, (unsigned long)si.seccomp.nr, args);
}

void eng_call_stop(struct eng *e, struct eng_thread *t)
{
	struct __ptrace_syscall_info si;

	memset(&si, 0, sizeof(si));
	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(si), &si) <= 0)
		return; /* killed meanwhile */
	switch (si.op) {
	case PTRACE_SYSCALL_INFO_ENTRY:
		call_entry(e, t, &si);
		break;
	case PTRACE_SYSCALL_INFO_EXIT:
		call_exit(e, t, si.exit.rval);
		break;
	default:
		break;
	}
}
