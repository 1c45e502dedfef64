/* A user's holder and its consumers agree through a lock beside the socket that no consumer connects while the holder ends:
 * a consumer connects, or starts a holder, with the lock held; a holder ends only with the lock held, nobody waiting to be
 * accepted, and the socket's name gone. */
#ifndef EMUL_HOLDER_IDLE_H
#define EMUL_HOLDER_IDLE_H

#include <stdbool.h>

#define HOLDER_SOCKET_PREFIX "holder-" /* in the run folder */
#define HOLDER_LOCK          "holder.lock"

/* True if the holder of this listening socket may end now; then no consumer can find it any more (the lock is kept until
 * the process exits). */
bool holder_may_end(int listener);

#endif
