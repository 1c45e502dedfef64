/* What running zones have on disk: one folder each below a run directory of the user's own. A zone lives as long as its
 * monitor holds the lock; what a dead one left is removed by the next command of any verb. */
#ifndef ZONECTL_STATE_H
#define ZONECTL_STATE_H

#include <limits.h>

#include "brand/cgroup.h"
#include "zonectl/zones.h"

struct zone_dir {
	char name[ZONE_NAME_MAX + 1];
	char path[PATH_MAX];
	int base; /* the run directory (common/host/rundir.h) */
	int fd;   /* the zone's folder */
	int lock; /* held by the monitor; -1 for others */
	unsigned slot; /* its private id range: no other running zone has it */
};

/* Removes what dead zones left. */
void zone_base_sweep(int base);

/* A new zone's folder, locked. name NULL: made from command's base name and a number. -EEXIST if the name is taken. */
int zone_dir_create(struct zone_dir *d, const char *name, const char *command, struct err *e);
/* An existing, running zone's folder; -ENOENT if there is none. */
int zone_dir_open(struct zone_dir *d, const char *name, struct err *e);
/* Removes the folder and releases the name; the cgroups must be gone. */
void zone_dir_remove(struct zone_dir *d);
void zone_dir_close(struct zone_dir *d);

/* state.json, replaced atomically. */
int zone_state_save(const struct zone_dir *d, const struct zone_info *i, const struct zone_cgroups *c, struct err *e);
int zone_state_load(int dirfd, struct zone_info *i, struct zone_cgroups *c, struct err *e);

#endif
