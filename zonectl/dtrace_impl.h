/* What the files of the verb `dtrace` share: the command line as parsed, and the processes and zones it traces. */
#ifndef ZONECTL_DTRACE_IMPL_H
#define ZONECTL_DTRACE_IMPL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/host/err.h"
#include "dtrace/consumer.h"
#include "dtrace/options.h"
#include "dtrace/program.h"

enum cmd_spec { SPEC_NAME, SPEC_FUNC, SPEC_MOD, SPEC_PROV, SPEC_ID, SPEC_FILE };

struct dtrace_cmd { /* -n -f -m -P -i -s */
	enum cmd_spec spec;
	char *arg;
	struct dt_matched matched;
};

enum dtrace_mode { MODE_EXEC, MODE_LIST, MODE_VERSION, MODE_HELP };

/* Processes and zones to trace (dtrace_targets.c). */
struct dtrace_targets {
	char **command;   /* -c */
	unsigned ncommand;
	pid_t *pid;       /* -p, then what -c started */
	unsigned npid;
	char **zone;      /* -z */
	unsigned nzone;
	int gate[2];      /* what -c starts waits until its read end has something, or end of file: then it goes away */
	pid_t target;     /* $target, -1 if none */
};

/* argv of a command as dtrace splits it: at blanks, without quoting. Changes text; the result is one allocation. */
char **dtrace_split(char *text);
/* Starts the commands of -c (held at the gate) and checks the processes of -p. With -z, commands start in the zone instead,
 * once tracing runs. */
int dtrace_targets_prepare(struct dtrace_targets *t, struct err *e);
/* Opens sessions for all of them; those of zones are looked up where none was named. */
int dtrace_targets_open(struct dtrace_targets *t, struct dt_consumer *c, struct err *e);
/* Lets what -c started go. */
int dtrace_targets_release(struct dtrace_targets *t, struct dt_consumer *c, struct err *e);
void dtrace_targets_free(struct dtrace_targets *t);

/* A script's text, preprocessed if asked for (dtrace_source.c). The caller frees it. */
int dtrace_source_read(const char *path, const struct dt_opts *o, char **text, struct err *e);

void dtrace_usage(FILE *out);

#endif
