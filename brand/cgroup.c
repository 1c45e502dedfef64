/* A zone's control groups; see cgroup.h. Best effort throughout: nothing here fails a zone. */
#include "brand/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "brand/brand.h"
#include "common/host/cleanup.h"

/* Our own group's path in the hierarchy with this controller ("" = the unified one). */
static bool own_path(const char *controller, char *out, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX + 256];

	while (f && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		list++;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (!strcmp(list, controller)) {
			snprintf(out, size, "%s", strcmp(path, "/") ? path : "");
			return true;
		}
	}
	return false;
}

static void plan_one(struct zone_cgroups *c, const struct mntent *m, const char *controller, const char *zone)
{
	char own[PATH_MAX], dir[2 * PATH_MAX];
	struct stat st;

	if (c->n == ZONE_CGROUPS || !own_path(controller, own, sizeof(own)))
		return;
	/* A mount of a part of the hierarchy (a container's) has no path that starts at the hierarchy's root. */
	snprintf(dir, sizeof(dir), "%s%s", m->mnt_dir, own);
	if (stat(dir, &st) < 0)
		snprintf(dir, sizeof(dir), "%s", m->mnt_dir);
	if (access(dir, W_OK) < 0)
		return;
	if ((size_t)snprintf(c->path[c->n], PATH_MAX, "%s/lxzone-%s", dir, zone) < PATH_MAX)
		c->n++;
}

void zone_cgroups_plan(struct zone_cgroups *c, const char *zone)
{
	FILE *f = brand_without("cgroup") ? NULL : setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	c->n = 0;
	while (f && (m = getmntent(f))) {
		if (!strcmp(m->mnt_type, "cgroup2"))
			plan_one(c, m, "", zone);
		else if (!strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "pids"))
			plan_one(c, m, "pids", zone);
	}
	if (f)
		endmntent(f);
}

static bool join(const char *dir, pid_t pid)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX + 16], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	snprintf(text, sizeof(text), "%d", pid);
	return fd >= 0 && write(fd, text, strlen(text)) > 0;
}

void zone_cgroups_enter(struct zone_cgroups *c, pid_t pid)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < c->n; i++) {
		if (mkdir(c->path[i], 0755) < 0 && errno != EEXIST)
			continue;
		if (!join(c->path[i], pid)) {
			rmdir(c->path[i]);
			continue;
		}
		if (kept != i)
			memcpy(c->path[kept], c->path[i], PATH_MAX);
		kept++;
	}
	c->n = kept;
}

void zone_cgroups_join(const struct zone_cgroups *c, pid_t pid)
{
	for (unsigned i = 0; i < c->n; i++)
		join(c->path[i], pid);
}

bool zone_cgroups_remove(const struct zone_cgroups *c)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	bool gone = true;

	for (unsigned i = 0; i < c->n; i++) {
		int tries = 0;

		/* A process that is dead for wait(2) leaves its group a moment later. */
		while (rmdir(c->path[i]) < 0 && errno == EBUSY && tries++ < 100)
			nanosleep(&ms, NULL);
		if (access(c->path[i], F_OK) == 0)
			gone = false;
	}
	return gone;
}
