/* A control group per zone, where we may make one: in the unified hierarchy and in the pids hierarchy of version 1. Only to
 * count and find a zone's processes; a zone without one works as well. */
#ifndef BRAND_CGROUP_H
#define BRAND_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define ZONE_CGROUPS 2

struct zone_cgroups {
	char path[ZONE_CGROUPS][PATH_MAX];
	unsigned n;
};

/* The directories that a zone's groups would have, below our own groups; none where no hierarchy is writable. */
void zone_cgroups_plan(struct zone_cgroups *c, const char *zone);
/* Makes them and moves pid in. What does not work is left out. */
void zone_cgroups_enter(struct zone_cgroups *c, pid_t pid);
/* Moves pid in, without making them. */
void zone_cgroups_join(const struct zone_cgroups *c, pid_t pid);
/* Removes them; their processes are dead or dying. False if one is still there after about 100 ms. */
bool zone_cgroups_remove(const struct zone_cgroups *c);

#endif
