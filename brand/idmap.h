/* Which user and group ids a zone has: its user namespace's maps. */
#ifndef BRAND_IDMAP_H
#define BRAND_IDMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/host/err.h"

#define ZONE_ID_COUNT 65536u /* ids in a private range */
#define ZONE_ID_SLOTS 16384u /* private ranges */

enum zone_idmode {
	ZONE_ID_SINGLE,   /* an ordinary user: one id inside is the caller outside, all others show as nobody */
	ZONE_ID_PRIVATE,  /* root: 0..65535 inside are a range of their own outside, files come through idmapped mounts */
	ZONE_ID_IDENTITY, /* root where idmapped mounts are missing: ids are the host's */
};

struct zone_idmap {
	enum zone_idmode mode;
	uid_t uid_inside, uid_outside;
	gid_t gid_inside, gid_outside;
	uint32_t count;
};

/* True if we are root with root's powers over this user namespace's mounts and ids: root inside a container may not be. */
bool zone_idmap_privileged(void);

/* Writes the maps of pid, a child in a new user namespace of ours that waits. */
int zone_idmap_write(const struct zone_idmap *m, pid_t pid, struct err *e);

/* Takes on the zone's first identity: inside, after the maps are written. */
int zone_idmap_enter(const struct zone_idmap *m, struct err *e);

/* True if ids inside other than the first are mapped, so that a process may change to them. */
static inline bool zone_idmap_has(const struct zone_idmap *m, uint32_t id)
{
	return m->mode != ZONE_ID_SINGLE && id < m->count;
}

/* Whether files below path can be shown through an idmapped mount, and that below an overlay: kernel and file system
 * permitting. Needs privilege over the path's mount; 1, 0 or -errno. */
int zone_idmap_works(const char *path, bool overlay, struct err *e);

/* The private range number `slot` (below ZONE_ID_SLOTS). */
void zone_idmap_private(struct zone_idmap *m, unsigned slot);

#endif
