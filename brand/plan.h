/* Setting a zone up is a typed list of steps, made by plan_make*.c, that can be printed or executed. Host mounts that a zone
 * shows are `sources`: detached copies, taken by the monitor (root: idmapped for the zone) or by the zone's init itself. */
#ifndef BRAND_PLAN_H
#define BRAND_PLAN_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "brand/brand.h"
#include "brand/idmap.h"
#include "brand/zone_config.h"

#define ZONE_PLAN_SOURCES 200 /* fewer than SCM_MAX_FD, so that one message carries them all */

enum zone_op {
	ZONE_OP_PRIVATE,    /* our copies of the host's mounts no longer tell the host anything */
	ZONE_OP_TMPFS,      /* dst, data = options */
	ZONE_OP_MKDIR,      /* dst with its parents, mode */
	ZONE_OP_SYMLINK,    /* dst -> src */
	ZONE_OP_COVER,      /* the existing file dst reads as the text src, mode; after /dev is there */
	ZONE_OP_ATTACH,     /* source number -> dst, made if it is missing */
	ZONE_OP_OVERLAY,    /* dst = src (a path or source's attached path) under upper and work in data; src itself, read-only,
			       where the kernel has no overlay over it (another overlay, FUSE, FAT, mounts below) */
	ZONE_OP_PROC,
	ZONE_OP_SYSFS,
	ZONE_OP_DEVPTS,
	ZONE_OP_MQUEUE,
	ZONE_OP_PIVOT,      /* dst becomes /; paths are the zone's own from here on */
	ZONE_OP_DETACH_OLD, /* the host's tree is gone from here on */
	ZONE_OP_READONLY,   /* dst (if present) is covered by itself, read-only */
	ZONE_OP_HOSTNAME,   /* src */
	ZONE_OP_DOMAINNAME, /* src */
	ZONE_OP_LOOPBACK,
	ZONE_OP_WRITE,      /* src into an existing file of /proc, failing silently where the kernel lacks it */
	ZONE_OP_CPUS,       /* binds init, and so all of the zone, to the world's cpu_mask */
};

struct zone_step {
	enum zone_op op;
	char *src, *dst, *data;
	unsigned source;
	mode_t mode;
	bool optional; /* the zone starts without it if it fails: a host mount that can't be shown */
};

struct zone_source {
	char *path;
	bool recursive; /* with the mounts below it */
	bool readonly;
	bool nodev;
	bool idmap;     /* shown through the zone's id map, where the file system can */
	bool optional;  /* left out if it can't be opened: the host may unmount it at any time */
	int fd;         /* -1 until opened */
};

struct zone_plan {
	struct zone_step *step;
	size_t nsteps;
	struct zone_source source[ZONE_PLAN_SOURCES];
	unsigned nsources;
	bool outside;            /* the monitor opens the sources */
	struct lx_world world;   /* for ZONE_OP_CPUS */
};

/* The whole plan. */
int zone_plan_make(const struct zone_config *c, const struct brand_settings *s, const struct zone_idmap *m, struct zone_plan *p,
		   struct err *e);
/* Frees what the plan owns and closes its sources. */
void zone_plan_free(struct zone_plan *p);
void zone_plan_print(const struct zone_plan *p, FILE *out);

/* Opens the sources; userns: the zone's user namespace for idmapped ones, or -1. What could not be idmapped is noted in
 * `note` (size bytes), a sentence for the user, or "". */
int zone_plan_open(struct zone_plan *p, int userns, char *note, size_t size, struct err *e);
/* Executes all steps in the calling process: the zone's init, in all its namespaces. */
int zone_plan_run(struct zone_plan *p, struct err *e);

#endif
