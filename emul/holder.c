/* The holder: one process, one thread, the only tracer of the processes it holds. It waits for traced threads to stop, for
 * consumers and for timers, in one loop; no consumer, guest or monitor can make it wait for them. A zone's holder lives as
 * long as the zone's monitor keeps the control socket open; a user's own goes soon after its last consumer. */
#include "emul/holder_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "emul/holder_idle.h"
#include "emul/taskinfo.h"
#include "lx_syscall/world.h"

#define NOFILE_ENOUGH 1024
#define LINGER_MS 1000       /* a user's holder waits this long for a next consumer */
#define CLOSING_MS 1500      /* a zone that ended: its consumers still fetch END and what was counted */

int holder_watch(struct holder *h, int fd, unsigned kind, unsigned slot)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = (uint64_t)kind << 32 | slot };

	return epoll_ctl(h->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* ---- Consumers and the monitor ---- */

static void listener_ready(struct holder *h)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t len = sizeof(peer);
	int sock = accept4(h->conf->listener, NULL, NULL, SOCK_CLOEXEC);

	if (sock < 0)
		return;
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || (peer.uid != geteuid() && peer.uid != 0)) {
		close(sock);
		return;
	}
	session_add(h, sock);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static int control_recv(int sock, struct holder_msg *m, int *fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct iovec iov = { m, sizeof(*m) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	struct cmsghdr *c;
	ssize_t n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	*fd = -1;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -errno;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return n == sizeof(*m) ? 1 : 0;
}

/* Trap mode: a process that the monitor, or somebody for it, has forked and that waits to exec. */
static int seize(struct holder *h, pid_t pid)
{
	struct task_status st;

	return task_status_read(pid, &st) < 0 ? -ESRCH : eng_attach(&h->eng, pid, st.ppid, h->eng.zone, NULL);
}

static void control_ready(struct holder *h)
{
	struct holder_msg m;
	_cleanup_close_ int fd = -1;
	int n = control_recv(h->conf->control, &m, &fd);

	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		h->closing = true;
		h->close_by = now_ms() + CLOSING_MS;
		epoll_ctl(h->epoll, EPOLL_CTL_DEL, h->conf->control, NULL);
		sessions_zone_ended(h);
		return;
	}
	switch (m.type) {
	case HOLDER_CONSUMER:
		m.pid = fd < 0 ? -EBADF : session_add(h, steal_fd(&fd));
		break;
	case HOLDER_RESCAN:
		m.pid = h->eng.zone || h->conf->trap ? eng_attach_zone(&h->eng, h->eng.zone, NULL) : 0;
		break;
	case HOLDER_SEIZE:
		m.pid = seize(h, m.pid);
		break;
	default:
		m.pid = -EINVAL;
		break;
	}
	send(h->conf->control, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- The loop ---- */

static void dispatch(struct holder *h, const struct epoll_event *ev)
{
	unsigned kind = (unsigned)(ev->data.u64 >> 32), slot = (uint32_t)ev->data.u64;
	struct session *s = slot < ENG_MAXSESSIONS ? h->session[slot] : NULL;
	struct signalfd_siginfo si;

	switch (kind) {
	case EP_SIGNAL:
		if (read(h->sigfd, &si, sizeof(si)) == sizeof(si))
			h->eng.hint = (pid_t)si.ssi_pid;
		break;
	case EP_CONTROL:
		control_ready(h);
		break;
	case EP_LISTENER:
		listener_ready(h);
		break;
	case EP_SESSION:
		if (s && !s->dead)
			session_message(s);
		break;
	case EP_TIMER:
		if (s && !s->dead)
			session_tick(s);
		break;
	default:
		break;
	}
}

static void sessions_reap(struct holder *h)
{
	for (unsigned i = 0; i < ENG_MAXSESSIONS; i++)
		if (h->session[i] && h->session[i]->dead)
			session_del(h, h->session[i]);
}

/* What epoll_wait() may sleep, ms. */
static int loop_timeout(const struct holder *h, bool more)
{
	if (more)
		return 0;
	if (eng_wait_ms(&h->eng) >= 0)
		return eng_wait_ms(&h->eng);
	if (h->closing)
		return 50;
	return h->conf->listener >= 0 && !h->nsession ? LINGER_MS : -1;
}

static int loop(struct holder *h)
{
	struct epoll_event ev[16];
	bool more = true;

	for (;;) {
		int n = epoll_wait(h->epoll, ev, 16, loop_timeout(h, more));

		if (n < 0 && errno != EINTR)
			return 1;
		for (int i = 0; i < n; i++)
			dispatch(h, &ev[i]);
		sessions_reap(h);
		if (h->closing && (!h->nsession || now_ms() >= h->close_by))
			return 0;
		if (n == 0 && !more && !h->nsession && eng_wait_ms(&h->eng) < 0 && h->conf->listener >= 0 && holder_may_end(h->conf->listener))
			return 0;
		more = eng_poll(&h->eng);
		sessions_reap(h);
	}
}

/* ---- Start and end ---- */

static int how_table(struct holder *h)
{
	for (unsigned abi = 0; abi < LX_NABI; abi++) {
		h->how[abi] = calloc(lx_nrows, 1);
		if (!h->how[abi])
			return -ENOMEM;
		for (unsigned row = 0; h->conf->world && row < lx_nrows; row++) {
			int error;

			h->how[abi][row] = (uint8_t)lx_world_how(h->conf->world, row, (enum lx_abi)abi, &error);
		}
	}
	return 0;
}

/* We outlive the consumer that started us, and serve others: what limits it is not meant for us. */
static void limits_lift(void)
{
	static const int limits[] = { RLIMIT_AS, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_STACK };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit rl;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (setrlimit(limits[i], &none) == 0 || getrlimit(limits[i], &rl) < 0)
			continue;
		rl.rlim_cur = rl.rlim_max;
		setrlimit(limits[i], &rl);
	}
}

/* Descriptors are one per thread whose CPU time is asked for; the last ones are for sessions. */
static unsigned raise_nofile(void)
{
	struct rlimit rl = { 0 };

	if (getrlimit(RLIMIT_NOFILE, &rl) < 0)
		return 0;
	if (rl.rlim_max < NOFILE_ENOUGH) { /* root may */
		const struct rlimit enough = { NOFILE_ENOUGH, NOFILE_ENOUGH };

		if (setrlimit(RLIMIT_NOFILE, &enough) == 0)
			rl = enough;
	}
	if (rl.rlim_cur < rl.rlim_max) {
		rl.rlim_cur = rl.rlim_max;
		setrlimit(RLIMIT_NOFILE, &rl);
		getrlimit(RLIMIT_NOFILE, &rl);
	}
	return rl.rlim_cur > 1000000 ? 1000000 : rl.rlim_cur > 512 ? (unsigned)rl.rlim_cur - 512 : 0;
}

static int holder_init(struct holder *h, const struct holder_conf *c)
{
	struct eng_conf ec = { .zone_init = c->zone_init, .zone_pidns = c->zone_pidns, .trap = c->trap };
	sigset_t set;

	h->conf = c;
	limits_lift();
	h->max_schedstat = raise_nofile();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
		return -errno;
	h->sigfd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	h->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (h->sigfd < 0 || h->epoll < 0 || holder_watch(h, h->sigfd, EP_SIGNAL, 0) < 0 ||
	    (c->control >= 0 && holder_watch(h, c->control, EP_CONTROL, 0) < 0) ||
	    (c->listener >= 0 && holder_watch(h, c->listener, EP_LISTENER, 0) < 0))
		return -errno;
	if (c->listener >= 0)
		fcntl(c->listener, F_SETFL, O_NONBLOCK);
	eng_init(&h->eng, &ec, h->sigfd, h);
	return how_table(h);
}

/* Lets every process go; what is in no stop within the time is let go by our exit. */
static void detach_all(struct holder *h)
{
	struct timespec ts = { .tv_nsec = 2000000 };

	if (h->conf->trap)
		return; /* guests die with us */
	eng_drop(&h->eng, ~0ull);
	for (unsigned i = 0; h->eng.nthread && i < 500; i++)
		if (!eng_poll(&h->eng))
			nanosleep(&ts, NULL);
}

int holder_run(const struct holder_conf *c)
{
	struct holder h = { .epoll = -1, .sigfd = -1 };
	int r = 1;

	if (holder_init(&h, c) == 0)
		r = loop(&h);
	for (unsigned i = 0; i < ENG_MAXSESSIONS; i++)
		if (h.session[i])
			session_del(&h, h.session[i]);
	detach_all(&h);
	eng_fini(&h.eng);
	for (unsigned abi = 0; abi < LX_NABI; abi++)
		free(h.how[abi]);
	if (h.epoll >= 0)
		close(h.epoll);
	if (h.sigfd >= 0)
		close(h.sigfd);
	return r;
}
