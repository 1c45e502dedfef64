/* Messages with descriptors over SOCK_SEQPACKET sockets. */
#ifndef ZONECTL_SOCK_H
#define ZONECTL_SOCK_H

#include <sys/types.h>

#define SOCK_MAXFDS 200

/* Sends one message with n descriptors. 0 or -errno; never SIGPIPE. */
int sock_send(int sock, const void *buf, size_t len, const int *fd, unsigned n);
/* Receives one message: its length, 0 at end of file, -errno; -EMSGSIZE if it or its descriptors did not fit (those are
 * closed). *n: in, room in fd; out, descriptors received, close-on-exec. Surplus ones are closed. *pid (if pid is not NULL
 * and the socket has SO_PASSCRED): the sender. */
ssize_t sock_recv(int sock, void *buf, size_t len, int *fd, unsigned *n, pid_t *pid);

#endif
