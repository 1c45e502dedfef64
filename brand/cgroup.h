/* A control group per zone, where we may make one: in the unified hierarchy, else in the pids hierarchy of version 1. Only
 * to count and find a zone's processes; a zone without one works as well. */
#ifndef BRAND_CGROUP_H
#define BRAND_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define ZONE_CGROUPS 2 /* that a state file may name */

struct zone_cgroups {
	char path[ZONE_CGROUPS][PATH_MAX];
	unsigned n;
	bool unified; /* path[0] is of the unified hierarchy: a process can be born in it */
};

/* The directory that a zone's group would have, below our own group; none where no hierarchy is writable. */
void zone_cgroups_plan(struct zone_cgroups *c, const char *zone);
/* Makes it; none is left in *c if that fails. Returns a descriptor for CLONE_INTO_CGROUP, or -1. */
int zone_cgroups_make(struct zone_cgroups *c);
/* Moves pid in. */
void zone_cgroups_join(const struct zone_cgroups *c, pid_t pid);
/* Removes them; their processes are dead or dying. False if one is still there after about 100 ms. */
bool zone_cgroups_remove(const struct zone_cgroups *c);

#endif
