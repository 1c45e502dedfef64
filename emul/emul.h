/* Catching a guest's system calls and answering those that its world changes. The filter is made on the host side before
 * the guest exists and installed in it as the last thing before exec; whatever it does not pass comes to the server
 * (user notification, emul/trap_notify.c) or to the zone's tracer (SECCOMP_RET_TRACE, emul/trap_ptrace.c). Both call the
 * same handlers, lx_<name>() in a file per family. */
#ifndef EMUL_EMUL_H
#define EMUL_EMUL_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/host/err.h"
#include "emul/notes.h"
#include "lx_syscall/world.h"

enum emul_trap { EMUL_TRAP_NOTIFY, EMUL_TRAP_PTRACE };

/* The seccomp program of a world: pass, errno (ENOSYS for unknown and too new ones, x32 and foreign ABIs), and trap for
 * emulated rows. Caller frees code. */
struct emul_filter {
	struct sock_filter *code;
	unsigned short len;
	bool listens;        /* has rows that notify: installing it yields a listener */
	unsigned long flags; /* for seccomp(2): those that this host has */
};
int emul_filter_make(const struct lx_world *w, enum emul_trap trap, struct emul_filter *f, struct err *e);
void emul_filter_free(struct emul_filter *f);

/* Installs the filter for the calling thread; async-signal-safe. *listener gets the notification descriptor (close-on-exec)
 * or -1. The caller has no_new_privs set or CAP_SYS_ADMIN in its user namespace. 0 or -errno (-EBUSY: there is a listener
 * already). */
int emul_filter_install(const struct emul_filter *f, int *listener);

/* The monitor's side: threads of its own that answer notifications of any number of listeners. The server keeps a copy of
 * the world; notes may be NULL and outlive the server. Free it when its guests are gone or going: calls that are caught
 * afterwards fail with ENOSYS. */
struct emul_server;
struct emul_server *emul_server_new(const struct lx_world *w, struct emul_notes *notes, struct err *e);
int emul_server_add(struct emul_server *s, int listener, struct err *e); /* takes the descriptor; closes it when its guests are gone */
uint64_t emul_server_calls(const struct emul_server *s);                 /* calls answered so far */
void emul_server_free(struct emul_server *s);

/* One trapped call, as handlers see it. */
struct emul_task {
	const struct lx_world *world;
	pid_t tid;                /* host thread id */
	enum lx_abi abi;
	uint64_t args[6];         /* as trapped; sys32: zero-extended 32-bit values */
	const struct emul_access *access;
	void *trap;               /* the trap's own */
	bool opaque;              /* its memory is closed to us */
};

/* Guest memory, through one interface for both traps. 0, -EFAULT (as natively, what lies before the fault may have been
 * copied), or -ESRCH when the call is no longer there. Where the kernel forbids us to look (a program that its user may
 * run but not read), the call as a whole becomes EMUL_CONTINUE whatever its handler returns. */
int emul_copyin(struct emul_task *t, uint64_t addr, void *dst, size_t len);
int emul_copyout(struct emul_task *t, uint64_t addr, const void *src, size_t len);

/* Runs a row's handler with its pre and post hooks. Result >= 0 or -errno; EMUL_CONTINUE: let the kernel do the call. */
#define EMUL_CONTINUE (-4096L)
long emul_call(struct emul_task *t, unsigned row);

/* Per-row hooks (reproduction): pre may answer instead of the handler (returns true and sets *result), post may change the
 * result; of a call that the kernel does itself, pre can only delay and count. Set before emul_filter_make(), a hook also
 * makes a row trap that would pass. *h stays the caller's and valid until no call can run it any more. NULL removes. */
struct emul_hook {
	bool (*pre)(struct emul_task *t, unsigned row, long *result, void *arg);
	long (*post)(struct emul_task *t, unsigned row, long result, void *arg);
	void *arg;
};
int emul_hook_set(unsigned row, const struct emul_hook *h);

#endif
