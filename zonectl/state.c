/* Run directories, locks and sweeping; see state.h. The run directory itself is locked while a folder is made or removed. */
#include "zonectl/state.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "brand/idmap.h"
#include "common/host/cleanup.h"
#include "common/host/rundir.h"

static int base_lock(int base)
{
	while (flock(base, LOCK_EX) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* True if no monitor holds the folder's lock; *lock then holds it. */
static bool is_dead(int fd, int *lock)
{
	*lock = openat(fd, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (*lock < 0)
		return errno == ENOENT; /* its monitor died before it had one */
	return flock(*lock, LOCK_EX | LOCK_NB) == 0;
}

static void remove_files(int base, int fd, const char *name)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *de;

	while (d && (de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			unlinkat(fd, de->d_name, 0);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	unlinkat(base, name, AT_REMOVEDIR);
}

/* Removes a dead zone's folder; false: it lives, or can't be removed yet. */
static bool sweep_one(int base, const char *name)
{
	_cleanup_close_ int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_close_ int lock = -1;
	struct zone_cgroups groups;
	struct zone_info info;
	struct err e;

	if (fd < 0 || !is_dead(fd, &lock))
		return false;
	/* While a control group is still there, the folder stays: it is what knows of it. */
	if (zone_state_load(fd, &info, &groups, &e) == 0 && !zone_cgroups_remove(&groups))
		return false;
	remove_files(base, fd, name);
	return true;
}

/* The number of a zone's private id range is where its link `slot` points to. */
static void mark_slot(int base, const char *name, uint8_t *used)
{
	char path[ZONE_NAME_MAX + 16], text[16];
	ssize_t n;

	if ((size_t)snprintf(path, sizeof(path), "%s/slot", name) >= sizeof(path))
		return;
	n = readlinkat(base, path, text, sizeof(text) - 1);
	if (n > 0) {
		unsigned long slot;

		text[n] = '\0';
		slot = strtoul(text, NULL, 10);
		if (slot < ZONE_ID_SLOTS)
			used[slot / 8] |= (uint8_t)(1u << slot % 8);
	}
}

/* used, if not NULL: a bit for each private id range of a running zone. */
static void sweep_locked(int base, uint8_t *used)
{
	int copy = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *de;

	while (d && (de = readdir(d)))
		if (de->d_name[0] != '.' && !sweep_one(base, de->d_name) && used)
			mark_slot(base, de->d_name, used);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
}

void zone_base_sweep(int base)
{
	if (base_lock(base) < 0)
		return;
	sweep_locked(base, NULL);
	flock(base, LOCK_UN);
}

/* The first free NAME-N; the command's base name, as far as a zone's name may have it. */
static int make_numbered(struct zone_dir *d, const char *command, struct err *e)
{
	const char *base = strrchr(command, '/') ? strrchr(command, '/') + 1 : command;
	char stem[33];
	size_t n = 0;

	for (; *base && n < sizeof(stem) - 1; base++)
		if (isalnum((unsigned char)*base) || (n && strchr("_.-", *base)))
			stem[n++] = *base;
	stem[n] = '\0';
	for (unsigned i = 1; i < 100000; i++) {
		snprintf(d->name, sizeof(d->name), "%s-%u", n ? stem : "zone", i);
		if (mkdirat(d->base, d->name, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			return err_set(e, errno, "make %s", d->name);
	}
	return err_msg(e, EEXIST, "too many zones named %s-N", stem);
}

static int make_named(struct zone_dir *d, const char *name, struct err *e)
{
	snprintf(d->name, sizeof(d->name), "%s", name);
	if (mkdirat(d->base, d->name, 0700) == 0)
		return 0;
	if (errno == EEXIST)
		return err_msg(e, EEXIST, "zone %s exists already", name);
	return err_set(e, errno, "make %s", name);
}

static int create_locked(struct zone_dir *d, const char *base_path, const char *name, const char *command, struct err *e)
{
	uint8_t used[ZONE_ID_SLOTS / 8] = {0};
	char text[16];
	int r;

	sweep_locked(d->base, used);
	r = name ? make_named(d, name, e) : make_numbered(d, command, e);
	if (r < 0)
		return r;
	d->fd = openat(d->base, d->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd >= 0)
		d->lock = openat(d->fd, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (d->lock < 0 || flock(d->lock, LOCK_EX | LOCK_NB) < 0)
		return err_set(e, errno, "lock zone %s", d->name);
	while (d->slot < ZONE_ID_SLOTS && used[d->slot / 8] >> d->slot % 8 & 1)
		d->slot++;
	if (d->slot == ZONE_ID_SLOTS)
		return err_msg(e, EAGAIN, "%u zones are running", ZONE_ID_SLOTS);
	snprintf(text, sizeof(text), "%u", d->slot);
	if (symlinkat(text, d->fd, "slot") < 0)
		return err_set(e, errno, "make zone %s", d->name);
	if ((size_t)snprintf(d->path, sizeof(d->path), "%s/%s", base_path, d->name) >= sizeof(d->path))
		return err_set(e, ENAMETOOLONG, "%s", base_path);
	return 0;
}

int zone_dir_create(struct zone_dir *d, const char *name, const char *command, struct err *e)
{
	char path[PATH_MAX];
	int r;

	*d = (struct zone_dir){.base = -1, .fd = -1, .lock = -1};
	if (name && (r = zone_name_check(name, e)) < 0)
		return r;
	d->base = rundir_open(path, e);
	if (d->base < 0)
		return d->base;
	r = base_lock(d->base);
	if (r < 0)
		return err_set(e, -r, "lock %s", path);
	r = create_locked(d, path, name, command, e);
	flock(d->base, LOCK_UN);
	if (r < 0)
		zone_dir_close(d);
	return r;
}

int zone_dir_open(struct zone_dir *d, const char *name, struct err *e)
{
	_cleanup_close_ int lock = -1;
	char path[PATH_MAX];
	int r = zone_name_check(name, e);

	*d = (struct zone_dir){.base = -1, .fd = -1, .lock = -1};
	if (r < 0)
		return r;
	d->base = rundir_open(path, e);
	if (d->base < 0)
		return d->base;
	zone_base_sweep(d->base);
	snprintf(d->name, sizeof(d->name), "%s", name);
	if ((size_t)snprintf(d->path, sizeof(d->path), "%s/%s", path, name) >= sizeof(d->path))
		return err_set(e, ENAMETOOLONG, "%s", path);
	d->fd = openat(d->base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd < 0 || is_dead(d->fd, &lock)) {
		zone_dir_close(d);
		return err_msg(e, ENOENT, "there is no running zone %s ('zonectl list' shows them)", name);
	}
	return 0;
}

void zone_dir_remove(struct zone_dir *d)
{
	if (d->fd >= 0 && base_lock(d->base) == 0) {
		remove_files(d->base, d->fd, d->name);
		flock(d->base, LOCK_UN);
	}
	zone_dir_close(d);
}

void zone_dir_close(struct zone_dir *d)
{
	if (d->lock >= 0)
		close(d->lock);
	if (d->fd >= 0)
		close(d->fd);
	if (d->base >= 0)
		close(d->base);
	d->lock = d->fd = d->base = -1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct zone_info *)a)->name, ((const struct zone_info *)b)->name);
}

int zone_list(struct zone_info **out, size_t *n, struct err *e)
{
	_cleanup_close_ int base = -1;
	struct zone_cgroups groups;
	char path[PATH_MAX];
	struct dirent *de;
	DIR *d;

	*out = NULL;
	*n = 0;
	base = rundir_open(path, e);
	if (base < 0)
		return base;
	zone_base_sweep(base);
	d = fdopendir(dup(base));
	if (!d)
		return err_set(e, errno, "%s", path);
	rewinddir(d);
	while ((de = readdir(d))) {
		_cleanup_close_ int fd = -1;
		struct zone_info info, *grown;

		if (de->d_name[0] == '.')
			continue;
		fd = openat(base, de->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || zone_state_load(fd, &info, &groups, NULL) < 0)
			continue;
		grown = reallocarray(*out, *n + 1, sizeof(info));
		if (!grown)
			break;
		*out = grown;
		snprintf(info.name, sizeof(info.name), "%.*s", ZONE_NAME_MAX, de->d_name);
		grown[(*n)++] = info;
	}
	closedir(d);
	if (*n)
		qsort(*out, *n, sizeof(**out), by_name);
	return 0;
}
