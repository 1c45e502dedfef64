/* Who a command runs as: -u USER[:GROUP] looked up in the zone's own /etc/passwd and /etc/group. */
#ifndef BRAND_USER_H
#define BRAND_USER_H

#include <stdbool.h>
#include <sys/types.h>

#include "brand/idmap.h"
#include "common/host/err.h"

#define BRAND_USER_GROUPS 64

struct brand_user {
	uid_t uid;
	gid_t gid;
	gid_t group[BRAND_USER_GROUPS]; /* supplementary */
	size_t ngroups;
	char home[256]; /* "" if nobody knows */
	char name[64];  /* "" if nobody knows */
};

/* spec NULL: the zone's first id. Reads /etc/passwd and /etc/group of the calling process's root: hostile files. */
int brand_user_find(const char *spec, const struct zone_idmap *m, struct brand_user *u, struct err *e);

/* The single id of an ordinary user's zone: -u looked up in root's /etc/passwd (rootfd: its directory, symbolic links stay
 * in it), else root in a root of its own, else the caller as himself in the default root. */
int brand_user_single(const char *spec, int rootfd, bool default_root, struct zone_idmap *m, struct err *e);

/* Becomes that user for good: capabilities, groups, ids, and no_new_privs. The bounding set keeps the zone's default set. */
int brand_user_become(const struct brand_user *u, const struct zone_idmap *m, struct err *e);

#endif
