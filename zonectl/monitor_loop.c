/* The monitor's event loop: one poll(2) over signals, init, the starting command, control connections and the terminal. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "zonectl/monitor_impl.h"
#include "zonectl/signals.h"
#include "zonectl/sock.h"

uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int monitor_signal_init(struct monitor *m, int sig)
{
	struct init_msg msg = {.type = INIT_SIGNAL, .value = sig};

	return sock_send(m->init_sock, &msg, sizeof(msg), NULL, 0);
}

/* ---- the command's start ---- */

static void start_failed(struct monitor *m, int status, const char *text)
{
	if (m->failure.type == START_FAILED)
		return; /* the first failure is the cause */
	m->failure.type = START_FAILED;
	m->failure.status = status;
	snprintf(m->failure.text, sizeof(m->failure.text), "%s", text);
}

static int go(struct monitor *m, struct err *e)
{
	struct start_msg msg = {.type = START_GO};
	int r;

	m->waiting = false;
	r = start_send(m->start_sock, &msg, -1);
	return r < 0 && r != -EPIPE && r != -ECONNRESET ? err_set(e, -r, "start the command") : 0;
}

/* The command is all but our guest's: whoever wants to hold it takes hold of it now. */
static int ready(struct monitor *m, int listener, struct err *e)
{
	int r = 0;

	m->waiting = true;
	if (listener >= 0) {
		if (!m->server)
			m->server = emul_server_new(&m->settings.world, m->notes, e);
		if (!m->server) {
			close(listener);
			return -e->code;
		}
		r = emul_server_add(m->server, listener, e);
	}
	if (r == 0 && m->trap) {
		r = monitor_holder_start(m, e);
		if (r == 0)
			r = monitor_holder_ask(m, HOLDER_SEIZE, m->command, -1, e);
	}
	if (r == 0 && m->conf->dtrace.n)
		return monitor_tracer_start(m, e);
	return r == 0 ? go(m, e) : r;
}

static int on_start(struct monitor *m, struct err *e)
{
	struct start_msg msg;
	int fd, r = start_recv(m->start_sock, &msg, &fd, &m->command);

	if (r <= 0) {
		close(m->start_sock);
		m->start_sock = -1;
		if (m->failure.type != START_FAILED && !m->waiting && m->command)
			monitor_running(m);
		return 0;
	}
	switch ((enum start_type)msg.type) {
	case START_PTY:
		if (fd >= 0)
			terminal_attach(&m->term, fd);
		return 0;
	case START_READY:
		return ready(m, fd, e);
	case START_FAILED:
		start_failed(m, msg.status, msg.text);
		break;
	case START_GO:
		break;
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

/* ---- init ---- */

static void on_init(struct monitor *m)
{
	struct stat st;
	unsigned n = CTL_NNS;
	struct init_msg msg;
	int fd[CTL_NNS];

	if (sock_recv(m->init_sock, &msg, sizeof(msg), fd, &n, NULL) != sizeof(msg)) {
		close(m->init_sock);
		m->init_sock = -1;
		return;
	}
	msg.text[sizeof(msg.text) - 1] = '\0';
	switch ((enum init_type)msg.type) {
	case INIT_DONE:
		for (unsigned i = 0; i < n; i++)
			m->ns[i] = fd[i];
		if (n == CTL_NNS && fstat(m->ns[2], &st) == 0)
			m->pidns = st.st_ino;
		return;
	case INIT_FAILED:
		start_failed(m, START_FAULT, msg.text);
		break;
	case INIT_EXITED:
		m->exited = true;
		m->status = msg.value;
		break;
	case INIT_SETUP:
	case INIT_SIGNAL:
		break;
	}
	for (unsigned i = 0; i < n; i++)
		close(fd[i]);
}

static bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

bool monitor_last_words(struct monitor *m)
{
	while (readable(m->init_sock))
		on_init(m);
	return m->failure.type == START_FAILED;
}

/* Init is dead, and with it all of the zone. What it and the command still said comes first. */
static int on_death(struct monitor *m, struct err *e)
{
	int r = 0;

	monitor_last_words(m);
	while (r == 0 && readable(m->start_sock))
		r = on_start(m, e);
	waitpid(m->init, NULL, 0);
	m->init = 0;
	return r;
}

/* ---- signals ---- */

static void on_child(struct monitor *m)
{
	int status;

	if (m->holder_pid > 0 && waitpid(m->holder_pid, NULL, WNOHANG) == m->holder_pid)
		monitor_holder_gone(m);
	if (m->tracer > 0 && waitpid(m->tracer, &status, WNOHANG) == m->tracer) {
		m->tracer = 0;
		if (m->waiting) /* it has said itself why */
			start_failed(m, WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1, "");
	}
}

/* The caller's shell stops a job by stopping all of it. */
static void suspend(struct monitor *m)
{
	monitor_signal_init(m, SIGSTOP);
	terminal_suspend(&m->term);
	kill(getpid(), SIGSTOP);
}

static void on_signal(struct monitor *m)
{
	int sig;

	while ((sig = signals_next(m->signals))) {
		switch (sig) {
		case SIGCHLD:
			on_child(m);
			break;
		case SIGTTIN:
		case SIGTTOU:
		case SIGPIPE:
		case SIGXFSZ: /* a file of ours: the write has failed with EFBIG */
			break;
		case SIGTSTP:
			suspend(m);
			break;
		case SIGWINCH:
			if (m->term.master >= 0)
				terminal_resize(&m->term); /* the kernel tells the command */
			else
				monitor_signal_init(m, SIGWINCH);
			break;
		case SIGCONT:
			terminal_resume(&m->term);
			/* fallthrough */
		default:
			monitor_signal_init(m, sig);
		}
	}
}

/* ---- the loop ---- */

enum { P_SIGNALS, P_DEATH, P_INIT, P_START, P_LISTENER, P_TRACER, P_FIXED };

static int timeout_ms(const struct monitor *m)
{
	uint64_t now = monotonic_ns();

	if (!m->kill_at)
		return -1;
	return now >= m->kill_at ? 0 : (int)((m->kill_at - now) / 1000000 + 1);
}

static void serve_clients(struct monitor *m, const struct pollfd *p, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < m->nclients; i++) {
		int sock = m->client[i];

		if (i < n && p[i].revents && !monitor_serve(m, sock))
			close(sock);
		else
			m->client[kept++] = sock;
	}
	m->nclients = kept;
}

static int on_tracer_ready(struct monitor *m, struct err *e)
{
	char byte;
	ssize_t n = read(m->tracer_ready, &byte, 1);

	close(m->tracer_ready);
	m->tracer_ready = -1;
	return n == 1 && m->waiting ? go(m, e) : 0; /* end of file: SIGCHLD says the rest */
}

static int turn(struct monitor *m, struct err *e)
{
	struct pollfd p[P_FIXED + MONITOR_CLIENTS + TERMINAL_POLLS] = {
		[P_SIGNALS] = {.fd = m->signals, .events = POLLIN}, [P_DEATH] = {.fd = m->init_fd, .events = POLLIN},
		[P_INIT] = {.fd = m->init_sock, .events = POLLIN},  [P_START] = {.fd = m->start_sock, .events = POLLIN},
		[P_LISTENER] = {.fd = m->nclients < MONITOR_CLIENTS ? m->listener : -1, .events = POLLIN},
		[P_TRACER] = {.fd = m->tracer_ready, .events = POLLIN},
	};
	unsigned clients = m->nclients, terminal;
	int r = 0;

	for (unsigned i = 0; i < clients; i++)
		p[P_FIXED + i] = (struct pollfd){.fd = m->client[i], .events = POLLIN};
	terminal = terminal_poll(&m->term, p + P_FIXED + clients);
	if (poll(p, P_FIXED + clients + terminal, timeout_ms(m)) < 0)
		return errno == EINTR ? 0 : err_set(e, errno, "poll");
	if (m->kill_at && monotonic_ns() >= m->kill_at) {
		kill(m->init, SIGKILL);
		m->kill_at = 0;
	}
	terminal_pump(&m->term, p + P_FIXED + clients, terminal);
	if (p[P_INIT].revents)
		on_init(m);
	if (p[P_START].revents)
		r = on_start(m, e);
	if (r == 0 && p[P_TRACER].revents)
		r = on_tracer_ready(m, e);
	if (p[P_SIGNALS].revents)
		on_signal(m);
	serve_clients(m, p + P_FIXED, clients);
	if (p[P_LISTENER].revents)
		monitor_accept(m);
	if (r == 0 && p[P_DEATH].revents)
		r = on_death(m, e);
	return r;
}

int monitor_loop(struct monitor *m, struct err *e)
{
	int r = 0;

	while (r == 0 && m->init > 0) {
		r = turn(m, e);
		if (m->failure.type == START_FAILED && m->init > 0)
			kill(m->init, SIGKILL);
	}
	return r;
}
