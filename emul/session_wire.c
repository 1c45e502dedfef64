/* The session protocol on the wire: whole messages of one fixed size over SOCK_SEQPACKET, with at most one descriptor. What
 * arrives is checked for size, version and type only; what the fields mean is the receiver's to check. */
#include "emul/session.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int ses_send(int sock, const struct ses_msg *m, int fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl = { 0 };
	struct iovec iov = { .iov_base = (void *)m, .iov_len = sizeof(*m) };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t n;

	if (fd >= 0) {
		h.msg_control = ctl.buf;
		h.msg_controllen = sizeof(ctl.buf);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	do
		n = sendmsg(sock, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*m) ? 0 : -EMSGSIZE;
}

/* Takes the descriptors of a received message: the first goes to *fd, every further one is closed at once, so that a
 * hostile sender cannot fill our table. */
static void ses_take_fds(struct msghdr *h, int *fd)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int got;

			memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof(got));
			if (fd && *fd < 0)
				*fd = got;
			else
				close(got);
		}
	}
}

int ses_recv(int sock, struct ses_msg *m, int *fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(4 * sizeof(int))];
	} ctl;
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl.buf,
			    .msg_controllen = sizeof(ctl.buf) };
	ssize_t n;

	if (fd)
		*fd = -1;
	do
		n = recvmsg(sock, &h, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	ses_take_fds(&h, fd);
	if (n == 0)
		return 0;
	if (n == (ssize_t)sizeof(*m) && !(h.msg_flags & MSG_TRUNC) && m->version == SES_VERSION &&
	    m->type >= SES_OPEN && m->type <= SES_STOPPED)
		return 1;
	if (fd && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return -EPROTO;
}
