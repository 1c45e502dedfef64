/* What this host's kernel can do, probed at run time on first use, never at build. LXZONE_WITHOUT=name,name switches
 * features off, so that tests can walk every fall-back on a new kernel. */
#ifndef HOST_FEATURES_H
#define HOST_FEATURES_H

#include <stdbool.h>

enum host_feature {
	HOST_NOTIFY,    /* "notify": seccomp user notification (5.0) */
	HOST_KILLABLE,  /* "killable": SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (5.19) */
	HOST_SYNCWAKE,  /* "syncwake": SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (6.6) */
	HOST_SUD,       /* "sud": syscall user dispatch (5.11) */
	HOST_SUDPTRACE, /* "sudptrace": its ptrace control (6.4) */
	HOST_IDMAP,     /* "idmap": mount_setattr(2) with MOUNT_ATTR_IDMAP (5.12) */
	HOST_OVLIDMAP,  /* "ovlidmap": idmapped layers below an overlay (5.19) */
	HOST_OVLUSER,   /* "ovluser": overlay mounts in a user namespace (5.11) */
	HOST_TIMENS,    /* "timens": time namespaces (5.6) */
	HOST_USERNS,    /* "userns": this user may create user namespaces */
	HOST_FUSE,      /* "fuse": /dev/fuse opens */
	HOST_PERF,      /* "perf": perf_event_open(2) on processes of one's own */
	HOST_PIDFD,     /* "pidfd": pidfd_open(2), pidfd_getfd(2) (5.6) */
	HOST_NSPID,     /* "nspid": NS_GET_PID_FROM_PIDNS (6.11) */
	HOST_CGROUP2,   /* "cgroup2": a unified cgroup hierarchy is mounted */
	HOST_NFEATURES,
};

/* True if the kernel has the feature and LXZONE_WITHOUT does not name it. Probes once per process; thread-safe. */
bool host_has(enum host_feature f);
const char *host_feature_name(enum host_feature f);

#endif
