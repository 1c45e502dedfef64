/* How a consumer finds this user's holder, the tracer of plain processes. */
#ifndef ZONECTL_HOLDER_CLIENT_H
#define ZONECTL_HOLDER_CLIENT_H

#include "common/host/err.h"

/* A connected socket (SOCK_SEQPACKET, close-on-exec) that speaks emul/session.h; starts the holder if none runs.
 * The descriptor or -errno. */
int holder_connect(struct err *e);

#endif
