/* Serving the control socket: requests of other zonectl commands of the same user; see control.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emul/session.h"
#include "zonectl/monitor_impl.h"
#include "zonectl/sock.h"

void monitor_accept(struct monitor *m)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int sock = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (sock < 0)
		return;
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || peer.uid != geteuid() || m->nclients == MONITOR_CLIENTS) {
		close(sock);
		return;
	}
	m->client[m->nclients++] = sock;
}

static bool answer(int sock, struct ctl_msg *a, const int *fd, unsigned n)
{
	a->magic = CTL_MAGIC;
	a->type = CTL_OK;
	return ctl_send(sock, a, fd, n) == 0;
}

static bool refuse(int sock, const struct err *e)
{
	struct ctl_msg a = {.magic = CTL_MAGIC, .type = CTL_ERROR, .u.error.code = e->code};

	snprintf(a.u.error.text, sizeof(a.u.error.text), "%s", e->msg);
	return ctl_send(sock, &a, NULL, 0) == 0;
}

static bool serve_join(struct monitor *m, int sock, struct err *e)
{
	struct ctl_msg a = {.u.join = {m->idmap.mode, m->idmap.uid_inside, m->idmap.gid_inside, m->idmap.count,
				     m->settings.trap_ptrace}};

	if (!m->running) {
		err_msg(e, EAGAIN, "it is still starting");
		return refuse(sock, e);
	}
	return answer(sock, &a, m->ns, CTL_NNS);
}

static bool serve_halt(struct monitor *m, int sock, uint32_t grace_ms)
{
	struct ctl_msg a = {0};
	uint64_t at = monotonic_ns() + (uint64_t)grace_ms * 1000000 + 1;

	if (!m->kill_at || at < m->kill_at)
		m->kill_at = at;
	monitor_signal_init(m, SIGTERM);
	monitor_signal_init(m, SIGCONT); /* a stopped command could not answer */
	return answer(sock, &a, NULL, 0);
}

/* A process has entered the zone and waits: its listener is served, and who traces the zone holds it. */
static bool serve_start(struct monitor *m, int sock, pid_t pid, int *listener, struct err *e)
{
	struct ctl_msg a = {0};
	int r = 0;

	if (*listener >= 0) {
		if (!m->server)
			m->server = emul_server_new(&m->settings.world, m->notes, e);
		r = m->server ? emul_server_add(m->server, *listener, e) : -e->code;
		*listener = -1; /* the server's */
	}
	if (r == 0 && m->trap)
		r = monitor_holder_start(m, e);
	if (r == 0 && m->holder >= 0)
		r = monitor_holder_ask(m, m->trap ? HOLDER_SEIZE : HOLDER_RESCAN, pid, -1, e);
	return r < 0 ? refuse(sock, e) : answer(sock, &a, NULL, 0);
}

static bool serve_trace(struct monitor *m, int sock, struct err *e)
{
	struct ctl_msg a = {0};
	int pair[2], r;
	bool alive;

	r = monitor_holder_start(m, e);
	if (r == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		r = err_set(e, errno, "socketpair");
	if (r < 0)
		return refuse(sock, e);
	r = monitor_holder_ask(m, HOLDER_CONSUMER, 0, pair[0], e);
	close(pair[0]);
	alive = r < 0 ? refuse(sock, e) : answer(sock, &a, &pair[1], 1);
	close(pair[1]);
	return alive;
}

static bool dispatch(struct monitor *m, int sock, const struct ctl_msg *q, int *fd, struct err *e)
{
	struct ctl_msg a = {0};

	switch ((enum ctl_type)q->type) {
	case CTL_INFO:
		a.u.info.monitor = getpid();
		a.u.info.init = m->init;
		a.u.info.pidns = m->pidns;
		a.u.info.calls = m->server ? emul_server_calls(m->server) : 0;
		return answer(sock, &a, NULL, 0);
	case CTL_HALT:
		return serve_halt(m, sock, q->u.halt.grace_ms);
	case CTL_JOIN:
		return serve_join(m, sock, e);
	case CTL_START:
		return serve_start(m, sock, q->u.start.pid, fd, e);
	case CTL_TRACE:
		return serve_trace(m, sock, e);
	case CTL_OK:
	case CTL_ERROR:
		break;
	}
	return false;
}

bool monitor_serve(struct monitor *m, int sock)
{
	unsigned char buf[sizeof(struct ctl_msg)];
	struct err e = {0};
	struct ctl_msg q;
	int fd = -1;
	unsigned n = 1;
	ssize_t len = sock_recv(sock, buf, sizeof(buf), &fd, &n, NULL);
	bool alive;

	if (len == -EAGAIN)
		return true;
	if (len <= 0)
		return false;
	if (n == 0)
		fd = -1;
	alive = ctl_request_valid(buf, (size_t)len, &q) && dispatch(m, sock, &q, &fd, &e);
	if (fd >= 0)
		close(fd);
	return alive;
}
