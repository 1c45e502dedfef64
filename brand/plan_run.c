/* Executing a plan: opening its sources, then each step in the zone's init. After the pivot all paths are looked up in the
 * zone's own root, so that no symbolic link of a hostile root leads out of it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "brand/plan.h"
#include "common/host/cleanup.h"

/* ---- sources ---- */

/* A detached copy of the mount at path; *idmapped says whether it follows the zone's ids. */
static int source_open(const struct zone_source *s, int userns, bool *idmapped, struct err *e)
{
	struct mount_attr a = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (unsigned)userns};
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (s->recursive ? AT_RECURSIVE : 0);
	int fd;

	*idmapped = true;
	fd = open_tree(AT_FDCWD, s->path, flags);
	if (fd < 0)
		return err_set(e, errno, "%s", s->path);
	if (!s->idmap || userns < 0)
		return fd;
	if (mount_setattr(fd, "", AT_EMPTY_PATH | (s->recursive ? AT_RECURSIVE : 0), &a, sizeof(a)) == 0)
		return fd;
	if (s->recursive) {
		/* Some mount below can't: the one that was asked for alone, then. */
		int one = open_tree(AT_FDCWD, s->path, flags & ~(unsigned)AT_RECURSIVE);

		if (one >= 0 && mount_setattr(one, "", AT_EMPTY_PATH, &a, sizeof(a)) == 0) {
			close(fd);
			return one;
		}
		if (one >= 0)
			close(one);
	}
	*idmapped = false;
	return fd;
}

int zone_plan_open(struct zone_plan *p, int userns, char *note, size_t size, struct err *e)
{
	if (size)
		note[0] = '\0';
	for (unsigned i = 0; i < p->nsources; i++) {
		struct zone_source *s = &p->source[i];
		bool idmapped;

		s->fd = source_open(s, userns, &idmapped, e);
		if (s->fd < 0 && s->optional) /* in its place what can't be attached: each source has its descriptor */
			s->fd = open("/dev/null", O_PATH | O_CLOEXEC);
		if (s->fd < 0)
			return s->fd;
		if (!idmapped && size && !note[0])
			snprintf(note, size, "%s: this file system has no id-mapped mounts; its files show as nobody's", s->path);
	}
	return 0;
}

static int source_restrict(const struct zone_source *s, struct err *e)
{
	struct mount_attr a = {0};

	if (s->readonly)
		a.attr_set |= MOUNT_ATTR_RDONLY;
	if (s->nodev)
		a.attr_set |= MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID;
	if (a.attr_set && mount_setattr(s->fd, "", AT_EMPTY_PATH | (s->recursive ? AT_RECURSIVE : 0), &a, sizeof(a)) < 0)
		return err_set(e, errno, "restrict %s", s->path);
	return 0;
}

/* ---- steps ---- */

static int make_dirs(const char *path, mode_t mode, struct err *e)
{
	char part[PATH_MAX];
	size_t n = strlen(path);
	struct stat st;

	if (n >= sizeof(part))
		return err_set(e, ENAMETOOLONG, "mkdir %s", path);
	memcpy(part, path, n + 1);
	for (char *p = part + 1;; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(part, c ? 0755 : mode) == 0) {
			if (!c && chmod(part, mode) < 0) /* the umask is not the plan's */
				return err_set(e, errno, "chmod %s", path);
		} else if (errno != EEXIST) {
			/* A read-only or foreign directory answers so even if the next part exists. */
			int why = errno;

			if (stat(part, &st) < 0)
				return err_set(e, why, "mkdir %s", part);
		}
		if (!c)
			return 0;
		*p = c;
	}
}

/* A mount point of the source's kind at dst. */
static int make_target(const char *dst, bool dir, struct err *e)
{
	char parent[PATH_MAX];
	char *slash;
	int fd;

	if (access(dst, F_OK) == 0)
		return 0;
	if (dir)
		return make_dirs(dst, 0755, e);
	snprintf(parent, sizeof(parent), "%s", dst);
	slash = strrchr(parent, '/');
	if (slash && slash != parent) {
		int r;

		*slash = '\0';
		r = make_dirs(parent, 0755, e);
		if (r < 0)
			return r;
	}
	fd = open(dst, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(e, errno, "create %s", dst);
	close(fd);
	return 0;
}

static int run_attach(struct zone_source *s, const char *dst, struct err *e)
{
	struct stat st;
	int r;

	if (fstat(s->fd, &st) < 0)
		return err_set(e, errno, "%s", s->path);
	r = make_target(dst, S_ISDIR(st.st_mode), e);
	if (r == 0)
		r = source_restrict(s, e);
	if (r < 0)
		return r;
	if (move_mount(s->fd, "", AT_FDCWD, dst, MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) < 0)
		return err_set(e, errno, "show %s at %s", s->path, dst);
	close(s->fd);
	s->fd = -1;
	return 0;
}

static int run_mount(const char *type, const char *dst, unsigned long flags, const char *data, struct err *e)
{
	int r = make_target(dst, true, e);

	if (r < 0)
		return r;
	if (mount(type, dst, type, flags, data) < 0)
		return err_set(e, errno, "mount %s on %s", type, dst);
	return 0;
}

/* Escapes what separates overlay options and layers. */
static void escape(char *out, size_t size, const char *path)
{
	size_t n = 0;

	for (; *path && n + 2 < size; path++) {
		if (strchr("\\:,", *path))
			out[n++] = '\\';
		out[n++] = *path;
	}
	out[n] = '\0';
}

/* What no overlay can lie over is shown as it is, read-only. */
static int show_readonly(const char *src, const char *dst)
{
	struct mount_attr a = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID};
	_cleanup_close_ int fd = open_tree(AT_FDCWD, src, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &a, sizeof(a)) < 0)
		return -1;
	return move_mount(fd, "", AT_FDCWD, dst, MOVE_MOUNT_F_EMPTY_PATH);
}

static int run_overlay(const struct zone_step *s, struct err *e)
{
	char lower[PATH_MAX], upper[PATH_MAX];
	_cleanup_free_ char *opt = NULL;

	escape(lower, sizeof(lower), s->src);
	escape(upper, sizeof(upper), s->data);
	if (asprintf(&opt, "lowerdir=%s,upperdir=%s/upper,workdir=%s/work,userxattr", lower, upper, upper) < 0) {
		opt = NULL;
		return err_set(e, ENOMEM, "overlay");
	}
	if (mount("overlay", s->dst, "overlay", MS_NODEV | MS_NOSUID, opt) == 0)
		return 0;
	return show_readonly(s->src, s->dst) == 0 ? 0 : err_set(e, errno, "overlay over %s", s->src);
}

static int run_pivot(const char *dst, int *old, struct err *e)
{
	*old = open("/", O_DIRECTORY | O_PATH | O_CLOEXEC);
	if (*old < 0 || chdir(dst) < 0)
		return err_set(e, errno, "%s", dst);
	/* The old root comes to lie on the new one and is reached by its descriptor alone. */
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return err_set(e, errno, "pivot_root to %s", dst);
	if (chdir("/") < 0)
		return err_set(e, errno, "chdir /");
	return 0;
}

static int run_detach(int *old, struct err *e)
{
	if (fchdir(*old) < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return err_set(e, errno, "detach the host's tree");
	close(*old);
	*old = -1;
	return 0;
}

static int run_readonly(const char *dst, struct err *e)
{
	if (access(dst, F_OK) < 0)
		return 0;
	return show_readonly(dst, dst) == 0 ? 0 : err_set(e, errno, "make %s read-only", dst);
}

/* The text lives in an unlinked file of /dev's tmpfs. */
static int run_cover(const struct zone_step *s, struct err *e)
{
	static const char tmp[] = "/dev/.cover";
	_cleanup_close_ int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, s->mode);
	_cleanup_close_ int tree = -1;
	struct mount_attr a = {.attr_set = MOUNT_ATTR_RDONLY};
	int r = 0;

	if (fd < 0 || fchmod(fd, s->mode) < 0 || write(fd, s->src, strlen(s->src)) < 0)
		return err_set(e, errno, "text of %s", s->dst);
	tree = open_tree(AT_FDCWD, tmp, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH, &a, sizeof(a)) < 0 ||
	    move_mount(tree, "", AT_FDCWD, s->dst, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		r = err_set(e, errno, "cover %s", s->dst);
	unlink(tmp);
	return r;
}

static int run_loopback(struct err *e)
{
	_cleanup_close_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &req) < 0)
		return err_set(e, errno, "bring up the loopback interface");
	return 0;
}

/* Best effort: what the kernel does not have, it can't be told. */
static int run_write(const struct zone_step *s)
{
	_cleanup_close_ int fd = open(s->dst, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, s->src, strlen(s->src)) < 0)
		return 0;
	return 0;
}

static int run_cpus(const struct lx_world *w, struct err *e)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < sizeof(w->cpu_mask) * 8 && i < CPU_SETSIZE; i++)
		if (w->cpu_mask[i / 64] >> i % 64 & 1)
			CPU_SET(i, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return err_set(e, errno, "bind the zone to its processors");
	return 0;
}

static int run_step(struct zone_plan *p, const struct zone_step *s, int *old, struct err *e)
{
	const unsigned long safe = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	switch (s->op) {
	case ZONE_OP_PRIVATE:
		return mount(NULL, s->dst, NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? err_set(e, errno, "make mounts private") : 0;
	case ZONE_OP_TMPFS:
		return run_mount("tmpfs", s->dst, MS_NODEV | MS_NOSUID, s->data, e);
	case ZONE_OP_MKDIR:
		return make_dirs(s->dst, s->mode, e);
	case ZONE_OP_SYMLINK:
		return symlink(s->src, s->dst) < 0 && errno != EEXIST ? err_set(e, errno, "symlink %s", s->dst) : 0;
	case ZONE_OP_COVER:
		return run_cover(s, e);
	case ZONE_OP_ATTACH:
		return run_attach(&p->source[s->source], s->dst, e);
	case ZONE_OP_OVERLAY:
		return run_overlay(s, e);
	case ZONE_OP_PROC:
		return run_mount("proc", s->dst, safe, NULL, e);
	case ZONE_OP_SYSFS:
		return run_mount("sysfs", s->dst, safe | MS_RDONLY, NULL, e);
	case ZONE_OP_DEVPTS:
		return run_mount("devpts", s->dst, MS_NOSUID | MS_NOEXEC, s->data, e);
	case ZONE_OP_MQUEUE:
		return run_mount("mqueue", s->dst, safe, NULL, e);
	case ZONE_OP_PIVOT:
		return run_pivot(s->dst, old, e);
	case ZONE_OP_DETACH_OLD:
		return run_detach(old, e);
	case ZONE_OP_READONLY:
		return run_readonly(s->dst, e);
	case ZONE_OP_HOSTNAME:
		return sethostname(s->src, strlen(s->src)) < 0 ? err_set(e, errno, "sethostname") : 0;
	case ZONE_OP_DOMAINNAME:
		return setdomainname(s->src, strlen(s->src)) < 0 ? err_set(e, errno, "setdomainname") : 0;
	case ZONE_OP_LOOPBACK:
		return run_loopback(e);
	case ZONE_OP_WRITE:
		return run_write(s);
	case ZONE_OP_CPUS:
		return run_cpus(&p->world, e);
	}
	return err_msg(e, EINVAL, "unknown step %d", s->op);
}

int zone_plan_run(struct zone_plan *p, struct err *e)
{
	_cleanup_close_ int old = -1;
	mode_t mask = umask(022);
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->nsteps; i++) {
		r = run_step(p, &p->step[i], &old, e);
		if (p->step[i].optional)
			r = 0;
	}
	umask(mask);
	return r;
}
