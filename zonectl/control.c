/* The control socket's wire, both ends; see control.h. */
#include "zonectl/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "zonectl/sock.h"

int ctl_send(int sock, const struct ctl_msg *m, const int *fd, unsigned n)
{
	return sock_send(sock, m, sizeof(*m), fd, n);
}

int ctl_recv(int sock, struct ctl_msg *m, int *fd, unsigned *n)
{
	ssize_t r = sock_recv(sock, m, sizeof(*m), fd, n, NULL);

	if (r <= 0)
		return (int)r;
	if (r != sizeof(*m) || m->magic != CTL_MAGIC) {
		for (unsigned i = 0; n && i < *n; i++)
			close(fd[i]);
		if (n)
			*n = 0;
		return -EPROTO;
	}
	if (m->type == CTL_ERROR)
		m->u.error.text[sizeof(m->u.error.text) - 1] = '\0';
	return 1;
}

bool ctl_request_valid(const void *buf, size_t len, struct ctl_msg *out)
{
	if (len != sizeof(*out))
		return false;
	memcpy(out, buf, sizeof(*out));
	if (out->magic != CTL_MAGIC)
		return false;
	switch (out->type) {
	case CTL_INFO:
	case CTL_JOIN:
	case CTL_TRACE:
		return true;
	case CTL_HALT:
		return out->u.halt.grace_ms <= 3600u * 1000;
	case CTL_START:
		return out->u.start.pid > 1;
	default:
		return false;
	}
}

/* The folder is named through its descriptor: a socket's name has room for 107 bytes only. */
static void ctl_address(const struct zone_dir *d, struct sockaddr_un *a)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/ctl", d->fd);
}

int ctl_connect(const struct zone_dir *d, struct err *e)
{
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un a;

	ctl_address(d, &a);
	if (sock < 0 || connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0) {
		int why = errno;

		if (sock >= 0)
			close(sock);
		if (why == ENOENT || why == ECONNREFUSED)
			return err_msg(e, why, "zone %s is just starting or ending", d->name);
		return err_set(e, why, "reach the monitor of zone %s", d->name);
	}
	return sock;
}

int ctl_call(int sock, struct ctl_msg *m, int *fd, unsigned send, unsigned *n, struct err *e)
{
	int r;

	m->magic = CTL_MAGIC;
	r = ctl_send(sock, m, fd, send);
	if (r < 0)
		return err_set(e, -r, "ask the zone's monitor");
	r = ctl_recv(sock, m, fd, n);
	if (r == 0)
		return err_msg(e, ESRCH, "the zone has ended");
	if (r < 0)
		return err_set(e, -r, "answer of the zone's monitor");
	if (m->type == CTL_ERROR)
		return err_msg(e, m->u.error.code > 0 ? m->u.error.code : EIO, "%s", m->u.error.text);
	return m->type == CTL_OK ? 0 : err_msg(e, EPROTO, "the zone's monitor answers what was not asked");
}

int ctl_listen(const struct zone_dir *d, struct err *e)
{
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;

	ctl_address(d, &a);
	if (sock < 0 || bind(sock, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(sock, 64) < 0) {
		int r = err_set(e, errno, "control socket of zone %s", d->name);

		if (sock >= 0)
			close(sock);
		return r;
	}
	return sock;
}

int zone_trace_connect(const char *zone, int *fd, struct err *e)
{
	struct ctl_msg m = {.type = CTL_TRACE};
	_cleanup_close_ int sock = -1;
	struct zone_dir d;
	unsigned n = 1;
	int r = zone_dir_open(&d, zone, e);

	if (r < 0)
		return r;
	sock = ctl_connect(&d, e);
	zone_dir_close(&d);
	if (sock < 0)
		return sock;
	r = ctl_call(sock, &m, fd, 0, &n, e);
	if (r < 0)
		return err_wrap(e, "zone %s", zone);
	return n == 1 ? 0 : err_msg(e, EPROTO, "zone %s: no holder", zone);
}
