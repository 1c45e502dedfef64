/* User namespace maps: writing them, taking a private range, and asking whether mounts can follow it; see idmap.h. */
#include "brand/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "brand/brand.h"
#include "common/host/cleanup.h"
#include "common/host/features.h"

/* Ranges lie above what /etc/subuid of Debian hands out by default for its first 10,000 users. */
#define RANGE_FIRST 0x30000000u

static int write_proc(pid_t pid, const char *file, const char *text, struct err *e)
{
	_cleanup_close_ int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return err_set(e, errno, "write %s of the zone", file);
	return 0;
}

int zone_idmap_write(const struct zone_idmap *m, pid_t pid, struct err *e)
{
	char text[64];
	int r;

	/* user_namespaces(7): an unprivileged writer gives up setgroups(2) first. */
	if (m->mode == ZONE_ID_SINGLE) {
		r = write_proc(pid, "setgroups", "deny", e);
		if (r < 0)
			return r;
	}
	snprintf(text, sizeof(text), "%u %u %u\n", m->uid_inside, m->uid_outside, m->count);
	r = write_proc(pid, "uid_map", text, e);
	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "%u %u %u\n", m->gid_inside, m->gid_outside, m->count);
	return write_proc(pid, "gid_map", text, e);
}

int zone_idmap_enter(const struct zone_idmap *m, struct err *e)
{
	if (m->mode != ZONE_ID_SINGLE && setgroups(0, NULL) < 0)
		return err_set(e, errno, "setgroups");
	if (setresgid(m->gid_inside, m->gid_inside, m->gid_inside) < 0 || setresuid(m->uid_inside, m->uid_inside, m->uid_inside) < 0)
		return err_set(e, errno, "take the zone's first id");
	return 0;
}

/* In a user namespace below the host's, ids of private ranges do not exist, and there are no host mounts to copy. */
static bool in_first_userns(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned inside, outside, count;

	return f && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 && outside == 0 && count == UINT32_MAX;
}

bool zone_idmap_privileged(void)
{
	static const cap_value_t need[] = {CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID, CAP_CHOWN};
	cap_t set = geteuid() == 0 ? cap_get_proc() : NULL;
	bool all = set != NULL && in_first_userns();

	for (size_t i = 0; all && i < sizeof(need) / sizeof(need[0]); i++) {
		cap_flag_value_t v = CAP_CLEAR;

		all = cap_get_flag(set, need[i], CAP_EFFECTIVE, &v) == 0 && v == CAP_SET;
	}
	if (set)
		cap_free(set);
	return all;
}

void zone_idmap_private(struct zone_idmap *m, unsigned slot)
{
	*m = (struct zone_idmap){.mode = ZONE_ID_PRIVATE, .count = ZONE_ID_COUNT};
	m->uid_outside = m->gid_outside = RANGE_FIRST + slot * ZONE_ID_COUNT;
}

/* A user namespace with some map of its own, only to ask the file system with. */
static int probe_userns(struct err *e)
{
	const struct zone_idmap m = {ZONE_ID_PRIVATE, 0, RANGE_FIRST, 0, RANGE_FIRST, ZONE_ID_COUNT};
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0);
	char path[64];
	int fd, r;

	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0)
		return err_set(e, errno, "new user namespace");
	r = zone_idmap_write(&m, pid, e);
	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	fd = r < 0 ? r : open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		fd = err_set(e, errno, "%s", path);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return fd;
}

/* File systems that are known to have idmapped mounts in every kernel since 6.3: asking costs more than all else that
 * starting a zone does. */
static bool is_known(const char *path)
{
	unsigned major, minor;
	struct utsname u;
	struct statfs st;

	if (uname(&u) < 0 || sscanf(u.release, "%u.%u", &major, &minor) != 2 || major * 1000 + minor < 6003 || statfs(path, &st) < 0)
		return false;
	return st.f_type == EXT4_SUPER_MAGIC || st.f_type == XFS_SUPER_MAGIC || st.f_type == BTRFS_SUPER_MAGIC || st.f_type == TMPFS_MAGIC;
}

int zone_idmap_works(const char *path, bool overlay, struct err *e)
{
	_cleanup_close_ int mount = -1, ns = -1;
	struct mount_attr a = {.attr_set = MOUNT_ATTR_IDMAP};

	if (brand_without("idmap") || (overlay && brand_without("ovlidmap")))
		return 0;
	if (is_known(path))
		return 1;
	if (overlay && !host_has(HOST_OVLIDMAP))
		return 0;
	mount = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (mount < 0)
		return errno == ENOSYS ? 0 : err_set(e, errno, "%s", path);
	ns = probe_userns(e);
	if (ns < 0)
		return ns;
	a.userns_fd = (unsigned)ns;
	return mount_setattr(mount, "", AT_EMPTY_PATH, &a, sizeof(a)) == 0;
}
