/* The last steps of a guest's first process, from our code to its own: user, capabilities, terminal, filter, exec. The same
 * for a zone's command (child of its init) and for `zonectl exec`. A socket leads to who started it. */
#ifndef ZONECTL_START_H
#define ZONECTL_START_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "brand/brand.h"
#include "brand/idmap.h"
#include "emul/emul.h"

/* child -> starter: PTY (master by SCM_RIGHTS), then READY (listener, if there is one), then, if exec fails, FAILED; end of
 * file without FAILED: the program runs. starter -> child: GO, after READY. */
enum start_type { START_PTY = 1, START_READY, START_FAILED, START_GO };

struct start_msg {
	uint32_t type;    /* enum start_type */
	int32_t status;   /* FAILED: exit status for it (126, 127, else 125) */
	char text[ERR_MAX];
};

#define START_FAULT 125 /* exit status: the zone itself could not be set up */

struct zone_start {
	const struct zone_config *config; /* args, env, cwd, user, terminal */
	const struct brand_settings *settings;
	const struct zone_idmap *idmap;
	const struct emul_filter *filter;
	bool trap_late;    /* the filter traps to a tracer: install it only after GO */
	int sock;
	sigset_t mask;     /* signal mask that the command gets */
};

/* Both ends of the socket, close-on-exec; [0] is the starter's and says who sends. */
int start_socket(int sock[2], struct err *e);
int start_send(int sock, const struct start_msg *m, int fd);
/* 1, 0 at end of file, -errno. *fd (or -1) is the caller's; *pid is the sender's pid as we see it. */
int start_recv(int sock, struct start_msg *m, int *fd, pid_t *pid);

/* Makes sure that descriptors 0 to 2 are open: none of ours may become a guest's standard output. */
void start_standard_fds(void);

/* Prints "WHO: TEXT" to stderr without control characters: the text may quote a hostile root's files. */
void start_complain(const char *who, const char *text);

_Noreturn void zone_start_child(const struct zone_start *s);

/* Binds the calling process to the world's processors. */
int zone_cpus_bind(const struct lx_world *w, struct err *e);

#endif
