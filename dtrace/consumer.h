/* A consumer: runs one compiled program on the targets of one or more holders, and prints what comes back as dtrace(1) does.
 * Life: new, add (once per holder; the first session is the one in control), go, run, free. */
#ifndef DTRACE_CONSUMER_H
#define DTRACE_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/host/err.h"
#include "dtrace/options.h"
#include "dtrace/program.h"

struct dt_consumer;

/* What one session traces. */
struct dt_target {
	const char *name;    /* for messages: "zone web"; copied */
	bool zone;           /* every process of the holder's zone */
	bool follow;         /* children of pids too */
	const pid_t *pid;
	unsigned npid;
};

/* The program and its options stay the caller's; out is where output goes (flushed after each round). */
struct dt_consumer *dt_consumer_new(struct dt_prog *prog, struct dt_opts *opts, FILE *out, struct err *e);
void dt_consumer_free(struct dt_consumer *c);

/* Opens a session over sock (connected to a holder; taken). Targets that wait are held from here until dt_consumer_go(). */
int dt_consumer_add(struct dt_consumer *c, int sock, const struct dt_target *t, struct err *e);

/* A child of ours that ends the session when it ends, along with any others given. */
int dt_consumer_add_child(struct dt_consumer *c, pid_t pid, struct err *e);

/* Fires BEGIN and enables the probes everywhere; when it returns, they are enabled. */
int dt_consumer_go(struct dt_consumer *c, struct err *e);

/* Prints until exit(), the end of all targets, or a signal; then stops, fires END, prints the rest and the aggregations that
 * were not printed yet. *status: the argument of exit(), else 0. -EINTR after a second signal: nothing more was printed. */
int dt_consumer_run(struct dt_consumer *c, int *status, struct err *e);

/* Lets SIGINT and SIGTERM end dt_consumer_run() (unless they are ignored). A second one ends it at once. */
void dt_consumer_catch_signals(void);
/* A signal will come from a program, not from a terminal's ^C: no newline is printed behind it. */
void dt_consumer_supervised(struct dt_consumer *c);

/* One probe's data for `dtrace -l`, `-v`: its attributes and the types of args[]. */
void dt_print_probe_info(FILE *out, const struct dt_probe *p);
/* Calls fn for every probe that a program enables, in the order of its image. */
int dt_list_program(struct dt_prog *prog, struct dt_probes *ps, int (*fn)(const struct dt_probe *p, void *arg), void *arg,
		    struct err *e);
/* The program's code, clause by clause (-S). */
int dt_print_program(FILE *out, struct dt_prog *prog, struct err *e);

#endif
