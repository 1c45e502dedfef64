/* What the plan's makers share; stays in this folder. */
#ifndef BRAND_PLAN_IMPL_H
#define BRAND_PLAN_IMPL_H

#include <limits.h>

#include "brand/plan.h"

/* A host directory that every user may search; in the zone's mount namespace a tmpfs covers it, in which the zone's root is
 * put together and which goes with the host's tree. */
#define PLAN_STAGE "/tmp"

struct plan_maker {
	const struct zone_config *config;
	const struct brand_settings *settings;
	const struct zone_idmap *idmap;
	struct zone_plan *plan;
	char rundir[PATH_MAX]; /* Lxzone's own state */
	struct err *e;
	int failed; /* first error; later additions do nothing */
};

/* Each appends a step; NULL leaves a member out. Errors are kept in failed. */
void plan_add(struct plan_maker *k, enum zone_op op, const char *src, const char *dst, const char *data, mode_t mode);
/* Appends a source and the step that attaches it. */
void plan_attach(struct plan_maker *k, const struct zone_source *src, const char *dst);

/* True if path is dir or below it. */
bool plan_is_below(const char *path, const char *dir);
/* Our own state must not show in a zone, where a guest of the same user could use it: covers the run directory below guest,
 * where the host's directory `host` is shown. False: host itself is our state. */
bool plan_hide_state(struct plan_maker *k, const char *host, const char *guest);

/* Steps up to the new root at PLAN_STAGE/root, of the host's own files. */
void plan_default_root(struct plan_maker *k);
/* Steps after the pivot that a default root needs: homes hidden, the caller's directory shown. */
void plan_default_homes(struct plan_maker *k);

#endif
