/* Finding and becoming the command's user; see user.h. */
#include "brand/user.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/host/cleanup.h"

#define USER_FILE_MAX (4 << 20) /* bytes of a passwd or group file that is looked at */

/* What root in a zone may do to its zone; what reaches further is not here. */
static const cap_value_t zone_caps[] = {
	CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP, CAP_NET_BIND_SERVICE,
	CAP_NET_RAW, CAP_SYS_CHROOT, CAP_MKNOD, CAP_AUDIT_WRITE, CAP_SETFCAP, CAP_SYS_PTRACE,
};

/* A regular file only, below root: a fifo of that name would hold us for ever, a link could lead elsewhere. */
static FILE *open_db(int root, const char *path)
{
	const struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, .resolve = RESOLVE_IN_ROOT};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	struct stat st;
	FILE *f;

	if (fd < 0)
		return NULL;
	f = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= USER_FILE_MAX ? fdopen(fd, "r") : NULL;
	if (!f)
		close(fd);
	return f;
}

static bool to_id(const char *s, uint32_t *id)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	n = strtoul(s, &end, 10);
	if (*end || errno || n >= UINT32_MAX)
		return false;
	*id = (uint32_t)n;
	return true;
}

/* By name, or by number if name is NULL. */
static bool find_passwd(int root, const char *name, uid_t uid, struct brand_user *u)
{
	_cleanup_fclose_ FILE *f = open_db(root, "/etc/passwd");
	struct passwd *pw;

	while (f && (pw = fgetpwent(f))) {
		if (name ? strcmp(pw->pw_name, name) != 0 : pw->pw_uid != uid)
			continue;
		u->uid = pw->pw_uid;
		u->gid = pw->pw_gid;
		snprintf(u->home, sizeof(u->home), "%s", pw->pw_dir[0] == '/' ? pw->pw_dir : "/");
		snprintf(u->name, sizeof(u->name), "%s", pw->pw_name);
		return true;
	}
	return false;
}

static bool find_group(int root, const char *name, gid_t *gid)
{
	_cleanup_fclose_ FILE *f = open_db(root, "/etc/group");
	struct group *gr;

	while (f && (gr = fgetgrent(f)))
		if (!strcmp(gr->gr_name, name)) {
			*gid = gr->gr_gid;
			return true;
		}
	return false;
}

static void find_groups(int root, const struct zone_idmap *map, struct brand_user *u)
{
	_cleanup_fclose_ FILE *f = u->name[0] ? open_db(root, "/etc/group") : NULL;
	struct group *gr;

	while (f && u->ngroups < BRAND_USER_GROUPS && (gr = fgetgrent(f)))
		for (char **m = gr->gr_mem; *m; m++)
			if (!strcmp(*m, u->name) && gr->gr_gid != u->gid && zone_idmap_has(map, gr->gr_gid)) {
				u->group[u->ngroups++] = gr->gr_gid;
				break;
			}
}

int brand_user_find(const char *spec, const struct zone_idmap *m, struct brand_user *u, struct err *e)
{
	_cleanup_free_ char *user = strdup(spec ? spec : "");
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *group;
	uint32_t id;

	memset(u, 0, sizeof(*u));
	if (!user)
		return err_set(e, ENOMEM, "user");
	group = strchr(user, ':');
	if (group)
		*group++ = '\0';
	if (!spec || m->mode == ZONE_ID_SINGLE) {
		find_passwd(root, NULL, m->uid_inside, u);
		u->uid = m->uid_inside;
		u->gid = m->gid_inside;
		/* The map was made for whom the zone was started for: no other id exists here. */
		if (!spec || (to_id(user, &id) ? id == u->uid : !strcmp(user, u->name) || (!u->uid && !strcmp(user, "root"))))
			return 0;
		return err_msg(e, EINVAL, "-u %s: an ordinary user's zone has one user, here %u", spec, u->uid);
	}
	if (to_id(user, &id)) {
		u->uid = u->gid = id;
		if (!find_passwd(root, NULL, id, u))
			u->gid = 0; /* as setpriv and every container runtime: a number without an entry has group 0 */
	} else if (!find_passwd(root, user, 0, u)) {
		return err_msg(e, ENOENT, "-u %s: this zone's /etc/passwd has no such user", user);
	}
	if (group && to_id(group, &id))
		u->gid = id;
	else if (group && !find_group(root, group, &u->gid))
		return err_msg(e, ENOENT, "-u %s: this zone's /etc/group has no group '%s'", spec, group);
	find_groups(root, m, u);
	if (!zone_idmap_has(m, u->uid) || !zone_idmap_has(m, u->gid))
		return err_msg(e, EINVAL, "-u %s: the zone's ids end at %u", spec, m->count - 1);
	return 0;
}

int brand_user_single(const char *spec, int rootfd, bool default_root, struct zone_idmap *m, struct err *e)
{
	_cleanup_free_ char *user = strdup(spec ? spec : "");
	char *group = user ? strchr(user, ':') : NULL;
	struct brand_user u = {0};
	uint32_t id;

	if (!user)
		return err_set(e, ENOMEM, "user");
	*m = (struct zone_idmap){ZONE_ID_SINGLE, 0, geteuid(), 0, getegid(), 1};
	if (group)
		*group++ = '\0';
	if (!spec && default_root) {
		m->uid_inside = geteuid();
		m->gid_inside = getegid();
	} else if (to_id(user, &id)) {
		m->uid_inside = id;
		m->gid_inside = find_passwd(rootfd, NULL, id, &u) ? u.gid : id;
	} else if (spec && strcmp(user, "root")) {
		if (!find_passwd(rootfd, user, 0, &u))
			return err_msg(e, ENOENT, "-u %s: this root's /etc/passwd has no such user", user);
		m->uid_inside = u.uid;
		m->gid_inside = u.gid;
	}
	if (group && to_id(group, &id))
		m->gid_inside = id;
	else if (group && !find_group(rootfd, group, &m->gid_inside))
		return err_msg(e, ENOENT, "-u %s: this root's /etc/group has no group '%s'", spec, group);
	return 0;
}

static bool in_zone_caps(cap_value_t c)
{
	for (size_t i = 0; i < sizeof(zone_caps) / sizeof(zone_caps[0]); i++)
		if (zone_caps[i] == c)
			return true;
	return false;
}

/* The bounding set first: dropping from it needs CAP_SETPCAP, which goes with the rest. */
static int bound_caps(struct err *e)
{
	for (cap_value_t c = 0; c < cap_max_bits(); c++)
		if (!in_zone_caps(c) && cap_get_bound(c) > 0 && cap_drop_bound(c) < 0)
			return err_set(e, errno, "drop capability %d", c);
	return 0;
}

static int set_caps(const struct brand_user *u, struct err *e)
{
	cap_t set = cap_init();
	int r = 0;

	if (!set)
		return err_set(e, errno, "capabilities");
	for (size_t i = 0; u->uid == 0 && i < sizeof(zone_caps) / sizeof(zone_caps[0]); i++)
		if (cap_get_bound(zone_caps[i]) > 0) {
			cap_set_flag(set, CAP_PERMITTED, 1, &zone_caps[i], CAP_SET);
			cap_set_flag(set, CAP_EFFECTIVE, 1, &zone_caps[i], CAP_SET);
		}
	if (cap_set_proc(set) < 0)
		r = err_set(e, errno, "set capabilities");
	cap_free(set);
	return r;
}

int brand_user_become(const struct brand_user *u, const struct zone_idmap *m, struct err *e)
{
	int r = bound_caps(e);

	if (r < 0)
		return r;
	if (m->mode != ZONE_ID_SINGLE && setgroups(u->ngroups, u->group) < 0)
		return err_set(e, errno, "set supplementary groups");
	if (setresgid(u->gid, u->gid, u->gid) < 0 || setresuid(u->uid, u->uid, u->uid) < 0)
		return err_set(e, errno, "become user %u, group %u", u->uid, u->gid);
	r = set_caps(u, e);
	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set(e, errno, "no_new_privs");
	return 0;
}
