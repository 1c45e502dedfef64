/* The zone's holder: zonectl itself, executed again with the internal verb `holder`. It ends when its control socket closes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "emul/session.h"
#include "zonectl/monitor_impl.h"
#include "zonectl/sock.h"

#define HOLDER_PATIENCE_MS 10000 /* for an answer: seizing thousands of threads takes a while */

static int world_memfd(const struct lx_world *w, struct err *e)
{
	int fd = memfd_create("world", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, w, sizeof(*w), 0) != sizeof(*w)) {
		int r = err_set(e, errno, "world");

		if (fd >= 0)
			close(fd);
		return r;
	}
	return fd;
}

/* argv of the holder; numbers in one buffer each. */
struct holder_args {
	char init[16], pidns[24], control[16], world[16], notes[16];
	const char *argv[20];
};

static void make_args(const struct monitor *m, int control, int world, struct holder_args *a)
{
	unsigned n = 0;

	snprintf(a->init, sizeof(a->init), "%d", m->init);
	snprintf(a->pidns, sizeof(a->pidns), "%llu", (unsigned long long)m->pidns);
	snprintf(a->control, sizeof(a->control), "%d", control);
	snprintf(a->world, sizeof(a->world), "%d", world);
	snprintf(a->notes, sizeof(a->notes), "%d", m->notes_fd);
	a->argv[n++] = "zonectl";
	a->argv[n++] = "holder";
	a->argv[n++] = "--zone";
	a->argv[n++] = m->dir.name;
	a->argv[n++] = "--init";
	a->argv[n++] = a->init;
	a->argv[n++] = "--pidns";
	a->argv[n++] = a->pidns;
	a->argv[n++] = "--control";
	a->argv[n++] = a->control;
	a->argv[n++] = "--world";
	a->argv[n++] = a->world;
	if (m->notes_fd >= 0) {
		a->argv[n++] = "--notes";
		a->argv[n++] = a->notes;
	}
	if (m->trap)
		a->argv[n++] = "--trap";
	a->argv[n] = NULL;
}

int monitor_holder_start(struct monitor *m, struct err *e)
{
	_cleanup_close_ int world = -1;
	struct holder_args a;
	sigset_t none;
	int sock[2];

	if (m->holder >= 0)
		return 0;
	world = world_memfd(&m->settings.world, e);
	if (world < 0)
		return world;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0)
		return err_set(e, errno, "socketpair");
	make_args(m, sock[1], world, &a);
	sigemptyset(&none);
	m->holder_pid = fork();
	if (m->holder_pid == 0) {
		/* Nothing but async-signal-safe calls: the monitor may have threads. A session of its own: no terminal's
		 * signal may end it before the sessions that it serves. */
		setsid();
		sigprocmask(SIG_SETMASK, &none, NULL);
		fcntl(sock[1], F_SETFD, 0);
		fcntl(world, F_SETFD, 0);
		if (m->notes_fd >= 0)
			fcntl(m->notes_fd, F_SETFD, 0);
		execv("/proc/self/exe", (char *const *)a.argv);
		_exit(127);
	}
	close(sock[1]);
	if (m->holder_pid < 0) {
		close(sock[0]);
		return err_set(e, errno, "start the zone's holder");
	}
	m->holder = sock[0];
	return 0;
}

int monitor_holder_ask(struct monitor *m, uint32_t type, pid_t pid, int fd, struct err *e)
{
	struct holder_msg q = {.type = type, .pid = pid}, a;
	struct pollfd p = {.fd = m->holder, .events = POLLIN};
	int r = sock_send(m->holder, &q, sizeof(q), &fd, fd >= 0);

	if (r < 0) {
		monitor_holder_stop(m);
		return err_set(e, -r, "reach the zone's holder");
	}
	do {
		r = poll(&p, 1, HOLDER_PATIENCE_MS);
	} while (r < 0 && errno == EINTR);
	if (r <= 0 || sock_recv(m->holder, &a, sizeof(a), NULL, NULL, NULL) != sizeof(a) || a.type != type) {
		monitor_holder_stop(m);
		return err_msg(e, ETIMEDOUT, "the zone's holder does not answer");
	}
	return a.pid < 0 ? err_set(e, -a.pid, "the zone's holder") : 0;
}

void monitor_holder_gone(struct monitor *m)
{
	m->holder_pid = 0;
	if (m->holder >= 0)
		close(m->holder);
	m->holder = -1;
}

void monitor_holder_stop(struct monitor *m)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	if (m->holder_pid <= 0)
		return;
	if (m->holder >= 0)
		close(m->holder);
	m->holder = -1;
	for (int i = 0; i < 2000; i++) {
		if (waitpid(m->holder_pid, NULL, WNOHANG) != 0) {
			m->holder_pid = 0;
			return;
		}
		nanosleep(&ms, NULL);
	}
	kill(m->holder_pid, SIGKILL);
	waitpid(m->holder_pid, NULL, 0);
	m->holder_pid = 0;
}
