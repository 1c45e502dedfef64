/* The running zones of this user, for verbs that look at them. */
#ifndef ZONECTL_ZONES_H
#define ZONECTL_ZONES_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "brand/zone_config.h"
#include "common/host/err.h"

struct zone_info {
	char name[ZONE_NAME_MAX + 1];
	char status[16];     /* "starting" or "running" */
	pid_t monitor, init; /* host pids; init is 0 while the zone starts */
	uint64_t started;    /* seconds since the epoch */
	char root[PATH_MAX]; /* "" = the default root */
	char command[256];   /* argv, joined by blanks, cut */
};

/* All running zones by name; removes what dead ones left. *out is one allocation of *n entries, free(3). */
int zone_list(struct zone_info **out, size_t *n, struct err *e);

/* A connected SOCK_SEQPACKET descriptor on which the zone's holder speaks emul/session.h; the holder is started if need be. */
int zone_trace_connect(const char *zone, int *fd, struct err *e);

#endif
