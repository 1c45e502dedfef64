/* The one host process of a running zone: starts its init and command, answers emulated calls, serves the control socket,
 * passes signals and terminal bytes, and cleans up. Believes nothing a guest says. */
#ifndef ZONECTL_MONITOR_H
#define ZONECTL_MONITOR_H

#include <stdbool.h>

#include "brand/plan.h"
#include "brand/zone_config.h"

struct monitor_conf {
	struct zone_config *config;   /* name is filled in if it was NULL */
	bool detached;                /* in the background: output goes to `log` in the zone's folder */
	bool interactive;             /* detached, but standard input stays */
	bool verbose;
	int ready;                    /* detached: the result of starting is written here (struct monitor_result); else -1 */
	char *title;                  /* our own argument area, which init overwrites: guests see it in /proc/1/cmdline */
	size_t title_size;
	struct zone_strv dtrace;      /* arguments of `zonectl dtrace` for a session from the first instruction; n = 0: none */
};

struct monitor_result {
	int status;         /* 0: runs; else the exit status */
	char text[ERR_MAX]; /* the zone's name, or what failed */
};

/* Runs a zone from beginning to end in the calling process, which must have one thread. Prints its errors to stderr unless
 * detached. Returns zonectl's exit status. */
int monitor_run(struct monitor_conf *c);

/* The id map and plan that this zone would get: for --dry-run, and for monitor_run() itself. slot: number of a private id range. */
int monitor_plan(const struct zone_config *c, const struct brand_settings *s, unsigned slot, struct zone_idmap *m, struct zone_plan *p,
		 char *note, size_t size, struct err *e);

#endif
