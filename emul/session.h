/* The wire between a consumer (zonectl dtrace) and the holder that serves its session: messages over a SOCK_SEQPACKET
 * UNIX socket, one struct ses_msg each, descriptors by SCM_RIGHTS. Both sides check every message.
 *
 *   consumer                          holder
 *   OPEN + image memfd          ->    verifies, seizes the targets (left stopped until GO if they are new)
 *                               <-    OPENED + arena memfd | ERROR (text says what and why)
 *   GO                          ->    fires BEGIN, enables probes, lets targets run
 *                               <-    RUNNING
 *   SNAP                        ->    flips the aggregation tables
 *                               <-    SNAPPED (table)
 *                               <-    WAKE at any time: exit() was called, or the principal buffer is half full
 *                               <-    ENDED at any time: target index, wait status (the zone: index 0)
 *   STOP                        ->    disables everything, fires END, flips
 *                               <-    STOPPED (table)
 *   close                       ->    at any moment: the session goes, its targets run on, detached
 */
#ifndef EMUL_SESSION_H
#define EMUL_SESSION_H

#include <stdint.h>
#include <sys/types.h>

#include "common/host/err.h"
#include "dvm/dvm.h"

#define SES_VERSION 1
#define SES_MAXTARGETS 256

enum ses_type {
	SES_OPEN = 1, SES_OPENED, SES_ERROR, SES_GO, SES_RUNNING, SES_SNAP, SES_SNAPPED, SES_WAKE, SES_ENDED, SES_STOP, SES_STOPPED,
};

#define SES_F_ZONE     1u /* targets: every process of the holder's zone, now and later */
#define SES_F_CONTROL  2u /* this session fires BEGIN, END, tick and profile (one holder of several does) */
#define SES_F_FOLLOW   4u /* children of targets are targets too */

struct ses_msg {
	uint32_t type;    /* enum ses_type */
	uint32_t version; /* SES_VERSION */
	union {
		struct {
			uint32_t flags;      /* SES_F_* */
			uint32_t ntargets;   /* used entries of target */
			int32_t consumer;    /* its pid: what `pid` is in BEGIN, END, tick */
			uint32_t pad;
			struct dvm_opts opts;
			int32_t target[SES_MAXTARGETS]; /* host pids */
		} open;
		struct { char text[ERR_MAX]; } error;
		struct { uint32_t table; } snapped;  /* also STOPPED */
		struct { uint32_t target; int32_t status; } ended; /* index into target[], wait(2) status or -1 if unknown */
	} u;
};

/* Sends m with up to one descriptor (fd or -1). 0 or -errno. */
int ses_send(int sock, const struct ses_msg *m, int fd);
/* Receives one message and, if fd is not NULL, its descriptor (-1 if none). Returns 1, 0 at end of file, or -errno
 * (-EPROTO: not a message). */
int ses_recv(int sock, struct ses_msg *m, int *fd);

/* ---- Holder ---- */

/* What a holder serves: a zone (its monitor started it) or plain processes of a user. */
struct holder_conf {
	const char *zone;     /* zone name, NULL without one */
	pid_t zone_init;      /* host pid of the zone's init, 0 without one */
	uint64_t zone_pidns;  /* inode of the zone's pid namespace, 0 without one */
	const struct lx_world *world; /* NULL = the host's: everything passes */
	struct emul_notes *notes; /* what the monitor notes about emulated calls (emul/notes.h), or NULL */
	int control;          /* zone: SOCK_SEQPACKET socket from the monitor (struct holder_msg); -1 otherwise */
	int listener;         /* without a zone: listening UNIX socket on which consumers connect; -1 otherwise */
	bool trap;            /* the zone's calls are caught by SECCOMP_RET_TRACE: this holder emulates them */
};

/* From a zone's monitor to its holder. Each is answered by the same message with pid = 0 or -errno, once it is done.
 * CONSUMER brings a consumer's connected socket by SCM_RIGHTS. RESCAN: processes have entered the zone (zonectl exec) and
 * wait for this answer before they exec; sessions on the zone hold them from then on. SEIZE (trap mode): the holder is
 * tracer of this process, which waits before it installs its filter and execs, and of all that descend from it. */
enum holder_msg_type { HOLDER_CONSUMER = 1, HOLDER_RESCAN, HOLDER_SEIZE };

struct holder_msg {
	uint32_t type; /* enum holder_msg_type */
	int32_t pid;   /* SEIZE: host pid */
};

/* Serves until the control socket closes (zone) or no consumer is left (plain). Returns the exit status. */
int holder_run(const struct holder_conf *c);

#endif
