/* The default root: the host's own files under private overlays, homes and our own state hidden. As root one overlay over
 * an (idmapped) copy of / and one per further host mount; as a user one per top-level directory, since there an overlay can
 * not lie over a tree with mounts below it. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "brand/plan_impl.h"
#include "common/host/cleanup.h"

/* Directories of the host that a zone never sees: it gets its own, or an empty one. */
static const char *const own_dirs[] = {"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/home", "/root", "/lost+found"};
/* File systems that hold nothing of the host's own files. */
static const char *const kernel_types[] = {"proc", "sysfs", "cgroup", "cgroup2", "devtmpfs", "devpts", "mqueue", "debugfs", "tracefs",
					   "securityfs", "configfs", "bpf", "pstore", "binfmt_misc", "autofs", "nsfs"};
static const char *const hidden_dirs[] = {"/var/lib/lxzone"};

static bool is_own(const char *path)
{
	for (size_t i = 0; i < sizeof(own_dirs) / sizeof(own_dirs[0]); i++)
		if (plan_is_below(path, own_dirs[i]))
			return true;
	return false;
}

static void plan_fail(struct plan_maker *k, int errnum, const char *what)
{
	if (!k->failed)
		k->failed = err_set(k->e, errnum, "%s", what);
}

static bool is_kernel_type(const char *type)
{
	for (size_t i = 0; i < sizeof(kernel_types) / sizeof(kernel_types[0]); i++)
		if (!strcmp(type, kernel_types[i]))
			return true;
	return false;
}

/* The host's mount points below /, without those of directories that a zone has of its own;
 * all: also the kernel's, over which an overlay can't lie either. */
static void host_mounts(struct plan_maker *k, bool all, struct zone_strv *out)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	if (!f) {
		plan_fail(k, errno, "/proc/self/mounts");
		return;
	}
	while ((m = getmntent(f)))
		if (m->mnt_dir[0] == '/' && m->mnt_dir[1] && !is_own(m->mnt_dir) && (all || !is_kernel_type(m->mnt_type)) &&
		    zone_strv_add(out, m->mnt_dir, k->e) < 0)
			k->failed = -ENOMEM;
	endmntent(f);
}

static bool has_mount(const struct zone_strv *mounts, const char *dir)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (plan_is_below(mounts->v[i], dir))
			return true;
	return false;
}

static void plan_optional(struct plan_maker *k)
{
	if (!k->failed)
		k->plan->step[k->plan->nsteps - 1].optional = true;
}

/* Overlay number n over the host's `lower`, shown at dst. */
static void plan_overlay(struct plan_maker *k, unsigned n, const char *lower, const char *dst, bool optional)
{
	_cleanup_free_ char *upper = NULL, *dir = NULL;

	if (asprintf(&upper, PLAN_STAGE "/private/%u", n) < 0 || asprintf(&dir, PLAN_STAGE "/private/%u/upper", n) < 0) {
		plan_fail(k, ENOMEM, "plan");
		return;
	}
	plan_add(k, ZONE_OP_MKDIR, NULL, dir, NULL, 0755);
	strcpy(strrchr(dir, '/'), "/work");
	plan_add(k, ZONE_OP_MKDIR, NULL, dir, NULL, 0755);
	plan_add(k, ZONE_OP_MKDIR, NULL, dst, NULL, 0755);
	if (optional)
		plan_optional(k);
	plan_add(k, ZONE_OP_OVERLAY, lower, dst, upper, 0);
	if (optional)
		plan_optional(k);
}

/* A top-level entry of /, as an ordinary user. */
static void plan_user_entry(struct plan_maker *k, const struct zone_strv *mounts, const char *name, unsigned n)
{
	char path[NAME_MAX + 2], target[PATH_MAX], dst[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "/%s", name);
	if ((size_t)snprintf(dst, sizeof(dst), PLAN_STAGE "/root%s", path) >= sizeof(dst) || lstat(path, &st) < 0 || is_own(path))
		return;
	if (S_ISLNK(st.st_mode)) {
		ssize_t len = readlink(path, target, sizeof(target) - 1);

		if (len < 0)
			return;
		target[len] = '\0';
		plan_add(k, ZONE_OP_SYMLINK, target, dst, NULL, 0);
	} else if (S_ISDIR(st.st_mode) && has_mount(mounts, path)) {
		struct zone_source s = {.path = path, .recursive = true, .readonly = true};

		plan_attach(k, &s, dst);
	} else if (S_ISDIR(st.st_mode)) {
		plan_overlay(k, n, path, dst, false);
	}
}

static void plan_user_root(struct plan_maker *k, const struct zone_strv *mounts)
{
	struct dirent **names;
	int n = scandir("/", &names, NULL, alphasort);

	if (n < 0) {
		plan_fail(k, errno, "/");
		return;
	}
	plan_add(k, ZONE_OP_TMPFS, NULL, PLAN_STAGE "/root", "mode=0755", 0);
	for (int i = 0; i < n; i++) {
		if (strcmp(names[i]->d_name, ".") && strcmp(names[i]->d_name, ".."))
			plan_user_entry(k, mounts, names[i]->d_name, (unsigned)i);
		free(names[i]);
	}
	free(names);
}

static void plan_root_overlay(struct plan_maker *k, const char *host, unsigned n)
{
	_cleanup_free_ char *lower = NULL, *dst = NULL;
	struct zone_source s = {.path = (char *)host, .idmap = true, .optional = n > 0};

	if (asprintf(&lower, PLAN_STAGE "/lower/%u", n) < 0 || asprintf(&dst, PLAN_STAGE "/root%s", host) < 0) {
		plan_fail(k, ENOMEM, "plan");
		return;
	}
	plan_attach(k, &s, lower);
	plan_overlay(k, n, lower, dst, n > 0);
}

void plan_default_root(struct plan_maker *k)
{
	struct zone_strv mounts = {0};
	struct stat st;

	host_mounts(k, k->idmap->mode == ZONE_ID_SINGLE, &mounts);
	if (k->idmap->mode == ZONE_ID_SINGLE) {
		plan_user_root(k, &mounts);
	} else {
		plan_root_overlay(k, "/", 0);
		/* Only directories: a mount over a single file is somebody's patch of one host. */
		for (size_t i = 0; i < mounts.n && k->plan->nsources < ZONE_PLAN_SOURCES / 2; i++)
			if (stat(mounts.v[i], &st) == 0 && S_ISDIR(st.st_mode))
				plan_root_overlay(k, mounts.v[i], (unsigned)i + 1);
	}
	zone_strv_free(&mounts);
}

static void plan_home(struct plan_maker *k, const char *home)
{
	static const char *const empty[] = {"/home", "/root", "/var/tmp", "/tmp"};

	for (size_t i = 0; home && i < sizeof(empty) / sizeof(empty[0]); i++)
		if (plan_is_below(home, empty[i]))
			plan_add(k, ZONE_OP_MKDIR, NULL, home, NULL, 0700);
}

/* The caller's directory is shown unless it would hide what every zone has of its own: a /tmp to write in, /proc. */
static bool shows_cwd(const char *cwd, const char *rundir)
{
	static const char *const whole[] = {"/", "/tmp", "/var/tmp", "/run", "/home"};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (!strcmp(cwd, whole[i]))
			return false;
	if (rundir[0] && plan_is_below(cwd, rundir))
		return false;
	return !plan_is_below(cwd, "/proc") && !plan_is_below(cwd, "/sys") && !plan_is_below(cwd, "/dev");
}

void plan_default_homes(struct plan_maker *k)
{
	const char *cwd = k->config->host_cwd;
	struct stat st;

	plan_add(k, ZONE_OP_TMPFS, NULL, "/run", "mode=0755", 0);
	plan_add(k, ZONE_OP_MKDIR, NULL, "/run/lock", NULL, 01777);
	plan_add(k, ZONE_OP_TMPFS, NULL, "/home", "mode=0755", 0);
	plan_add(k, ZONE_OP_TMPFS, NULL, "/root", "mode=0700", 0);
	plan_add(k, ZONE_OP_TMPFS, NULL, "/var/tmp", "mode=1777", 0);
	for (size_t i = 0; i < sizeof(hidden_dirs) / sizeof(hidden_dirs[0]); i++)
		if (lstat(hidden_dirs[i], &st) == 0)
			plan_add(k, ZONE_OP_TMPFS, NULL, hidden_dirs[i], "mode=0700", 0);
	plan_home(k, getenv("HOME"));
	if (cwd && shows_cwd(cwd, k->rundir)) {
		/* Optional: the command starts in / where it can't be shown, or its name is too long. */
		struct zone_source s = {.path = (char *)cwd, .recursive = true, .readonly = true, .nodev = true, .idmap = true,
					.optional = true};

		plan_attach(k, &s, cwd);
		plan_hide_state(k, cwd, cwd);
	}
}
