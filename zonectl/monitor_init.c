/* The zone's init: executes the plan, starts the command, reaps, and passes signals that the monitor sends. It is never
 * dumpable, so that no guest can look into what is still the monitor's memory, and it dies with the monitor. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "zonectl/monitor_impl.h"
#include "zonectl/sock.h"

static _Noreturn void init_fail(const struct init_conf *c, const struct err *e)
{
	struct init_msg m = {.type = INIT_FAILED};

	snprintf(m.text, sizeof(m.text), "%s", e->msg);
	sock_send(c->sock, &m, sizeof(m), NULL, 0);
	_exit(START_FAULT);
}

/* Moves the two descriptors that init needs to 3 and 4 and closes all others. */
static int keep_fds(struct init_conf *c, struct err *e)
{
	int *const want[] = {&c->sock, &c->start.sock};
	int high[2];

	for (int i = 0; i < 2; i++) {
		high[i] = fcntl(*want[i], F_DUPFD_CLOEXEC, 5);
		if (high[i] < 0)
			return err_set(e, errno, "descriptors of init");
	}
	for (int i = 0; i < 2; i++) {
		if (dup3(high[i], 3 + i, O_CLOEXEC) < 0)
			return err_set(e, errno, "descriptors of init");
		*want[i] = 3 + i;
	}
	return close_range(5, ~0u, 0) < 0 ? err_set(e, errno, "close_range") : 0;
}

/* Waits until the maps are written; brings the plan's sources. */
static int wait_setup(struct init_conf *c, struct err *e)
{
	int fd[ZONE_PLAN_SOURCES];
	unsigned n = ZONE_PLAN_SOURCES;
	struct init_msg m;

	if (sock_recv(c->sock, &m, sizeof(m), fd, &n, NULL) != sizeof(m) || m.type != INIT_SETUP)
		_exit(START_FAULT);
	for (unsigned i = 0; i < n && i < c->plan->nsources; i++)
		c->plan->source[i].fd = fd[i];
	return n == (c->plan->outside ? c->plan->nsources : 0) ? 0 : err_msg(e, EPROTO, "sources got lost");
}

static int die_with_monitor(const struct init_conf *c, struct err *e)
{
	struct pollfd p = {.fd = c->sock};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return err_set(e, errno, "prctl");
	if (poll(&p, 1, 0) != 0) /* POLLHUP: it died before we asked */
		_exit(START_FAULT);
	return 0;
}

static int send_namespaces(const struct init_conf *c, struct err *e)
{
	static const char *const name[CTL_NNS] = {"user", "mnt", "pid", "ipc", "uts", "net", "cgroup"};
	struct init_msg m = {.type = INIT_DONE};
	int fd[CTL_NNS], r = 0;
	unsigned n = 0;

	for (; r == 0 && n < CTL_NNS; n++) {
		char path[40];

		snprintf(path, sizeof(path), "/proc/self/ns/%s", name[n]);
		fd[n] = open(path, O_RDONLY | O_CLOEXEC);
		if (fd[n] < 0)
			r = err_set(e, errno, "%s", path);
	}
	if (r == 0 && (r = sock_send(c->sock, &m, sizeof(m), fd, n)) < 0)
		r = err_set(e, -r, "report to the monitor");
	for (unsigned i = 0; i < n; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return r;
}

static void set_title(const struct init_conf *c)
{
	static const char name[] = "init";

	prctl(PR_SET_NAME, name);
	if (c->title_size > sizeof(name)) {
		memset(c->title, 0, c->title_size);
		memcpy(c->title, name, sizeof(name));
	}
}

static int setup(struct init_conf *c, struct err *e)
{
	int r = keep_fds(c, e);

	set_title(c);
	if (r == 0)
		r = wait_setup(c, e);
	if (r == 0)
		r = zone_idmap_enter(c->start.idmap, e);
	if (r == 0)
		r = die_with_monitor(c, e);
	if (r == 0 && setsid() < 0)
		r = err_set(e, errno, "setsid");
	if (r == 0 && unshare(CLONE_NEWCGROUP) < 0)
		r = err_set(e, errno, "new cgroup namespace");
	if (r == 0 && !c->plan->outside)
		r = zone_plan_open(c->plan, -1, NULL, 0, e);
	if (r == 0)
		r = zone_plan_run(c->plan, e);
	if (r == 0)
		r = send_namespaces(c, e);
	return r;
}

static pid_t start_command(struct init_conf *c, struct err *e)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(c->sock);
		zone_start_child(&c->start);
	}
	if (pid < 0)
		return err_set(e, errno, "fork");
	close(c->start.sock);
	return pid;
}

/* All that is dead; the command's end is the zone's. */
static void reap(const struct init_conf *c, pid_t command)
{
	struct init_msg m = {.type = INIT_EXITED};
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == command) {
			m.value = status;
			sock_send(c->sock, &m, sizeof(m), NULL, 0);
			_exit(0);
		}
}

/* Stops and continues reach the whole group, as a terminal's would; the rest is the command's own. */
static void pass_signal(pid_t command, int sig)
{
	kill(sig == SIGSTOP || sig == SIGCONT ? -command : command, sig);
}

static _Noreturn void serve(const struct init_conf *c, pid_t command, int signals)
{
	struct pollfd p[2] = {{.fd = signals, .events = POLLIN}, {.fd = c->sock, .events = POLLIN}};
	struct signalfd_siginfo si;
	struct init_msg m;

	for (;;) {
		reap(c, command);
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents && read(signals, &si, sizeof(si)) < 0)
			continue;
		if (!p[1].revents)
			continue;
		if (sock_recv(c->sock, &m, sizeof(m), NULL, NULL, NULL) != sizeof(m))
			_exit(START_FAULT); /* the monitor is gone */
		if (m.type == INIT_SIGNAL && m.value > 0 && m.value < NSIG)
			pass_signal(command, m.value);
	}
}

_Noreturn void zone_init(struct init_conf *c)
{
	struct err e = {0};
	sigset_t chld;
	int signals;
	pid_t command;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	if (setup(c, &e) < 0)
		init_fail(c, &e);
	sigprocmask(SIG_SETMASK, &chld, NULL);
	command = start_command(c, &e);
	if (command < 0)
		init_fail(c, &e);
	zone_plan_free(c->plan);
	signals = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	close_range(0, 2, 0); /* the command's only: who reads its pipe waits for its end, not for ours */
	serve(c, command, signals);
}
