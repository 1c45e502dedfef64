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
	bool listens; /* has rows that notify: installing it yields a listener */
};
int emul_filter_make(const struct lx_world *w, enum emul_trap trap, struct emul_filter *f, struct err *e);
void emul_filter_free(struct emul_filter *f);

/* Installs the filter for the calling thread; async-signal-safe. *listener gets the notification descriptor (close-on-exec)
 * or -1. 0 or -errno. */
int emul_filter_install(const struct emul_filter *f, int *listener);

/* The monitor's side: threads of its own that answer notifications of any number of listeners. */
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
};

/* Guest memory, through one interface for both traps. 0, -EFAULT, or -ESRCH when the call is no longer there. */
int emul_copyin(const struct emul_task *t, uint64_t addr, void *dst, size_t len);
int emul_copyout(const struct emul_task *t, uint64_t addr, const void *src, size_t len);

/* Runs a row's handler with its pre and post hooks. Result >= 0 or -errno; EMUL_CONTINUE: let the kernel do the call. */
#define EMUL_CONTINUE (-4096L)
long emul_call(struct emul_task *t, unsigned row);

/* Per-row hooks (reproduction): pre may answer instead of the handler (returns true and sets *result), post may change the
 * result. NULL removes. */
struct emul_hook {
	bool (*pre)(struct emul_task *t, unsigned row, long *result, void *arg);
	long (*post)(struct emul_task *t, unsigned row, long result, void *arg);
	void *arg;
};
int emul_hook_set(unsigned row, const struct emul_hook *h);

#endif
