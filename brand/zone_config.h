/* The settings of one zone, as the command line or an OCI config.json gives them. Plain owned data: what they mean is
 * decided by the brand (brand.h) and by the plan (plan.h). */
#ifndef BRAND_ZONE_CONFIG_H
#define BRAND_ZONE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/host/err.h"

#define ZONE_NAME_MAX 63   /* bytes of a zone's name, without the terminator */
#define ZONE_CONFIG_MAX (8 << 20) /* bytes of a config.json that is read: more than a command line can have */

/* A growing list of owned strings, always terminated by NULL, so that it can be given to execve(2). */
struct zone_strv {
	char **v;
	size_t n;
};

struct zone_attr {
	char *key, *value;
};

struct zone_volume {
	char *host;    /* absolute, symbolic links resolved */
	char *guest;   /* absolute path in the zone */
	bool writable;
};

struct zone_config {
	char *name;          /* NULL until one is chosen */
	char *root;          /* absolute path of a root directory; NULL: the default root */
	char *host_cwd;      /* the caller's current directory; NULL: not shown */
	char *cwd;           /* -w: directory in the zone; NULL: by default */
	char *user;          /* -u: USER[:GROUP], names or numbers; NULL: by default */
	struct zone_attr *attr; /* --set, in order; a later one replaces an earlier one */
	size_t nattr;
	struct zone_volume *vol;
	size_t nvol;
	struct zone_strv env;  /* K=V as given by -e */
	struct zone_strv args; /* the command */
	bool terminal;         /* the command gets a pseudo-terminal */
};

void zone_config_free(struct zone_config *c);

/* Appends a copy. 0 or -ENOMEM. */
int zone_strv_add(struct zone_strv *s, const char *text, struct err *e);
void zone_strv_free(struct zone_strv *s);

/* --set KEY=VALUE. Only the form is checked here: attributes are the brand's. */
int zone_config_set(struct zone_config *c, const char *text, struct err *e);
const char *zone_config_get(const struct zone_config *c, const char *key); /* NULL if not set */
/* -v HOST[:GUEST][:ro|rw]; HOST must exist. */
int zone_config_volume(struct zone_config *c, const char *text, struct err *e);
/* -e KEY=VALUE, or KEY: the caller's own value, nothing if there is none. */
int zone_config_env(struct zone_config *c, const char *text, struct err *e);
/* --root DIR: must be a directory; kept absolute. */
int zone_config_root(struct zone_config *c, const char *path, struct err *e);
/* Letters, digits, '_', '.', '-'; begins with a letter or digit; at most ZONE_NAME_MAX. */
int zone_name_check(const char *name, struct err *e);

/* The file form: an OCI runtime config.json (specification 1.2) with annotations org.lxzone.*. Saving replaces `name` in
 * dirfd atomically; loading checks types and sizes of all that it takes and ignores the rest. */
int zone_config_save(const struct zone_config *c, int dirfd, const char *name, struct err *e);
int zone_config_load(struct zone_config *c, int dirfd, const char *name, struct err *e);
/* The same from a text of len bytes, which may be anything. */
int zone_config_parse(struct zone_config *c, const char *text, size_t len, struct err *e);

#endif
