/* The folder for what lives as long as the machine runs: sockets, locks, the state of running zones. */
#ifndef HOST_RUNDIR_H
#define HOST_RUNDIR_H

#include <limits.h>

#include "common/host/err.h"

/* /run/lxzone for root, $XDG_RUNTIME_DIR/lxzone, else /tmp/lxzone-UID; made if missing, and refused unless it is ours and
 * closed to others. Returns a descriptor of it (close-on-exec) or -errno. */
int rundir_open(char path[PATH_MAX], struct err *e);

#endif
