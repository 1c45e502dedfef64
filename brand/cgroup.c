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

static void plan_type(struct zone_cgroups *c, const char *type, const char *option, const char *zone)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	while (f && !c->n && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, type) && (!*option || hasmntopt(m, option)))
			plan_one(c, m, option, zone);
	if (f)
		endmntent(f);
}

void zone_cgroups_plan(struct zone_cgroups *c, const char *zone)
{
	c->n = 0;
	if (brand_without("cgroup"))
		return;
	plan_type(c, "cgroup2", "", zone);
	c->unified = c->n > 0;
	if (!c->n)
		plan_type(c, "cgroup", "pids", zone);
}

int zone_cgroups_make(struct zone_cgroups *c)
{
	if (c->n && mkdir(c->path[0], 0755) < 0 && errno != EEXIST)
		c->n = 0;
	return c->n && c->unified ? open(c->path[0], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

void zone_cgroups_join(const struct zone_cgroups *c, pid_t pid)
{
	for (unsigned i = 0; i < c->n; i++) {
		_cleanup_close_ int fd = -1;
		char path[PATH_MAX + 16], text[16];

		snprintf(path, sizeof(path), "%s/cgroup.procs", c->path[i]);
		snprintf(text, sizeof(text), "%d", pid);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && write(fd, text, strlen(text)) < 0)
			continue; /* it stays where it is */
	}
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
