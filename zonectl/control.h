/* The monitor's control socket: requests of other zonectl commands of the same user, one struct ctl_msg each over a
 * SOCK_SEQPACKET socket named `ctl` in the zone's folder. Every message is checked; a bad one ends its connection only. */
#ifndef ZONECTL_CONTROL_H
#define ZONECTL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/host/err.h"
#include "zonectl/state.h"

#define CTL_MAGIC  0x4c585a31u /* "LXZ1": the version of this protocol */
#define CTL_MAXFDS 8
#define CTL_NNS    7 /* user, mnt, pid, ipc, uts, net, cgroup: the order in which CTL_JOIN hands them out */

enum ctl_type {
	CTL_INFO = 1, /* -> CTL_OK with u.info */
	CTL_HALT,     /* u.halt -> CTL_OK; the connection closes when the zone is gone */
	CTL_JOIN,     /* -> CTL_OK with u.join and the zone's namespaces (user, mnt, pid, ipc, uts, net, cgroup) */
	CTL_START,    /* u.start, with its listener if its filter has one -> CTL_OK: it may exec */
	CTL_TRACE,    /* -> CTL_OK with a socket to the zone's holder */
	CTL_OK,
	CTL_ERROR,    /* u.error */
};

struct ctl_msg {
	uint32_t magic;
	uint32_t type; /* enum ctl_type */
	union {
		struct { int32_t monitor, init; uint64_t pidns; uint64_t calls; /* emulated so far */ } info;
		struct { uint32_t grace_ms; /* from SIGTERM to SIGKILL */ } halt;
		struct { uint32_t mode; /* enum zone_idmode */ uint32_t uid_inside, gid_inside, count, trap; } join;
		struct { int32_t pid; /* host pid of a process that has entered the zone and waits to exec */ } start;
		struct { int32_t code; char text[ERR_MAX]; } error;
	} u;
};

/* Sends m with n descriptors. 0 or -errno. */
int ctl_send(int sock, const struct ctl_msg *m, const int *fd, unsigned n);
/* Receives one message; *n: in, room in fd; out, descriptors received (close-on-exec, now the caller's). 1, 0 at end of file, -errno;
 * -EPROTO for what is no message: its descriptors are closed. */
int ctl_recv(int sock, struct ctl_msg *m, int *fd, unsigned *n);
/* Whether these bytes are a message that a monitor takes from a client. */
bool ctl_request_valid(const void *buf, size_t len, struct ctl_msg *out);

/* A client's connection to a zone's monitor. */
int ctl_connect(const struct zone_dir *d, struct err *e);
/* Sends a request and waits for its answer; CTL_ERROR becomes the error. fd and n as for ctl_recv(), fd[0..send) are sent. */
int ctl_call(int sock, struct ctl_msg *m, int *fd, unsigned send, unsigned *n, struct err *e);
/* The monitor's listening socket. */
int ctl_listen(const struct zone_dir *d, struct err *e);

#endif
