/* sendmsg(2) and recvmsg(2) with SCM_RIGHTS and SCM_CREDENTIALS; see sock.h. */
#include "zonectl/sock.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int sock_send(int sock, const void *buf, size_t len, const int *fd, unsigned n)
{
	char control[CMSG_SPACE(SOCK_MAXFDS * sizeof(int))] = {0};
	struct iovec iov = {(void *)buf, len};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t r;

	if (n > SOCK_MAXFDS)
		return -E2BIG;
	if (n) {
		struct cmsghdr *c;

		h.msg_control = control;
		h.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fd, n * sizeof(int));
	}
	do {
		r = sendmsg(sock, &h, MSG_NOSIGNAL);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

/* The first `room` descriptors are kept, others closed. */
static unsigned take_fds(struct msghdr *h, int *fd, unsigned room, pid_t *pid)
{
	unsigned n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS && pid)
			*pid = ((struct ucred *)CMSG_DATA(c))->pid;
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int one;

			memcpy(&one, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (n < room)
				fd[n++] = one;
			else
				close(one);
		}
	}
	return n;
}

ssize_t sock_recv(int sock, void *buf, size_t len, int *fd, unsigned *n, pid_t *pid)
{
	char control[CMSG_SPACE(SOCK_MAXFDS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
	struct iovec iov = {buf, len};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	unsigned room = n ? *n : 0, got;
	ssize_t r;

	if (n)
		*n = 0;
	do {
		r = recvmsg(sock, &h, MSG_CMSG_CLOEXEC);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	got = take_fds(&h, fd, room, pid);
	/* An empty message, which may carry descriptors too, looks like the end of the file: so it is taken. */
	if (r == 0 || (h.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		for (unsigned i = 0; i < got; i++)
			close(fd[i]);
		return r == 0 ? 0 : -EMSGSIZE;
	}
	if (n)
		*n = got;
	return r;
}
