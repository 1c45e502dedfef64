/* The holder over its own protocol: sessions live and die as consumers say, each counts on its own, guests never notice, and
 * whoever breaks the rules is dropped. The guest is this program, executed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/unit/ses_client.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>

static const char *const calls[] = { "getppid", "getuid", "execve", "wait4", "exit_group", "fork", "clone", "vfork", "read" };
#define NCALLS (sizeof(calls) / sizeof(calls[0]))
#define ROW(name) lx_row_by_name(name)

static uint64_t got[TP_NKEYS][LX_NABI][1024];

/* ---- Guests ---- */

/* "calls N": N getppid, a fork that makes N more, an exec that ends. */
static int guest_calls(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
	if (fork() == 0) {
		for (int i = 0; i < n; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	wait(NULL);
	execl("/proc/self/exe", "guest", "guest", "end", NULL);
	return 99;
}

static volatile sig_atomic_t guest_told;

static void on_term(int sig)
{
	guest_told = 1;
}

/* "busy": calls and blocks until SIGTERM; exits 0 if nothing strange happened: no EINTR out of nowhere. */
static void *block_epoll(void *arg)
{
	struct epoll_event ev = { 0 };
	int ep = epoll_create1(0);

	while (!guest_told)
		if (epoll_wait(ep, &ev, 1, 50) < 0)
			_exit(10);
	return NULL;
}

static void *block_sigwait(void *arg)
{
	struct timespec ts = { .tv_nsec = 50000000 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	while (!guest_told)
		if (sigtimedwait(&set, NULL, &ts) < 0 && errno != EAGAIN)
			_exit(11);
	return NULL;
}

static void *block_sleep(void *arg)
{
	struct timespec ts = { .tv_nsec = 30000000 };

	while (!guest_told)
		if (nanosleep(&ts, NULL) < 0)
			_exit(12);
	return NULL;
}

/* "spin": only calls, until SIGTERM. */
static int guest_spin(void)
{
	struct sigaction sa = { .sa_handler = on_term };

	sigaction(SIGTERM, &sa, NULL);
	while (!guest_told)
		syscall(SYS_getppid);
	return 0;
}

static int guest_busy(void)
{
	pthread_t t[3];
	struct sigaction sa = { .sa_handler = on_term };
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigaddset(&term, SIGUSR2);
	sigprocmask(SIG_BLOCK, &term, NULL); /* in the threads */
	pthread_create(&t[0], NULL, block_epoll, NULL);
	pthread_create(&t[1], NULL, block_sigwait, NULL);
	pthread_create(&t[2], NULL, block_sleep, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigdelset(&term, SIGUSR2);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	while (!guest_told) {
		pid_t pid = fork(); /* its end sends a SIGCHLD that nobody cares for */
		int status;

		if (pid == 0)
			_exit(3);
		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR || !guest_told)
				_exit(13);
		if (WEXITSTATUS(status) != 3)
			_exit(14);
		for (int i = 0; i < 20; i++)
			syscall(SYS_getppid);
	}
	for (unsigned i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static int guest_main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc > 3 && !strcmp(argv[2], "calls"))
		return guest_calls(atoi(argv[3]));
	if (argc > 2 && !strcmp(argv[2], "busy"))
		return guest_busy();
	if (argc > 2 && !strcmp(argv[2], "spin"))
		return guest_spin();
	return 7;
}

/* A command as a consumer starts it: waits on a pipe, then execs. *go releases it. */
static pid_t guest_start(const char *what, const char *arg, int *go)
{
	int p[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(p[1]);
		if (read(p[0], &c, 1) == 1)
			execl("/proc/self/exe", "guest", "guest", what, arg, NULL);
		_exit(127);
	}
	close(p[0]);
	*go = p[1];
	return pid;
}

static void guest_release(int go)
{
	assert_int_equal(write(go, "x", 1), 1);
	close(go);
}

static int wait_status(pid_t pid)
{
	int status = -1;

	alarm(20);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	alarm(0);
	return status;
}

static void nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static pid_t tracer_of(pid_t pid)
{
	char path[64], line[256];
	pid_t tracer = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "TracerPid: %d", &tracer);
	if (f)
		fclose(f);
	return tracer;
}

static bool wait_detached(pid_t pid)
{
	for (int i = 0; i < 500; i++, nap(10))
		if (tracer_of(pid) == 0)
			return true;
	return false;
}

/* ---- Tests ---- */

static int fresh(void **state)
{
	ts_consumer = 0;
	memset(got, 0, sizeof(got));
	return 0;
}

static void begin_end_tick(void **state)
{
	struct th h = th_start();
	struct ts s;

	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 10000000), SES_F_CONTROL, 0, NULL, NULL), 0);
	ts_go(&s);
	nap(205);
	ts_stop(&s, got);
	assert_int_equal(got[TP_BEGIN][0][0], 1);
	assert_int_equal(got[TP_END][0][0], 1);
	assert_in_range(got[TP_TICK][0][0], 5, 21);
	assert_int_equal(th_stop(&h), 0);
}

static void without_control_no_own_probes(void **state)
{
	struct th h = th_start();
	struct ts s;

	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 10000000), 0, 0, NULL, NULL), 0);
	ts_go(&s);
	nap(50);
	ts_stop(&s, got);
	assert_int_equal(got[TP_BEGIN][0][0] + got[TP_END][0][0] + got[TP_TICK][0][0], 0);
	assert_int_equal(th_stop(&h), 0);
}

/* One command under two sessions, of which one follows its child: each counts on its own. */
static void counts_are_exact(void **state)
{
	static uint64_t two[TP_NKEYS][LX_NABI][1024];
	struct th h = th_start();
	struct ts s, s2;
	int go, row = ROW("getppid");
	pid_t pid = guest_start("calls", "500", &go);

	memset(two, 0, sizeof(two));
	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), SES_F_FOLLOW, 1, &pid, NULL), 0);
	assert_int_equal(ts_open(&s2, th_connect(&h), tp_count(calls, NCALLS, 0), 0, 1, &pid, NULL), 0);
	ts_go(&s);
	ts_go(&s2);
	guest_release(go);
	ts_wait_ended(&s);
	ts_wait_ended(&s2);
	assert_int_equal(s.status, 7 << 8);
	assert_int_equal(s2.status, 7 << 8);
	assert_int_equal(wait_status(pid), 7 << 8);
	ts_stop(&s, got);
	ts_stop(&s2, two);
	assert_int_equal(got[TP_ENTRY][LX_SYS64][row], 1000);
	assert_int_equal(got[TP_RETURN][LX_SYS64][row], 1000);
	assert_int_equal(two[TP_ENTRY][LX_SYS64][row], 500);
	assert_int_equal(two[TP_RETURN][LX_SYS64][row], 500);
	assert_int_equal(got[TP_ENTRY][LX_SYS64][ROW("execve")], 2);
	assert_int_equal(got[TP_RETURN][LX_SYS64][ROW("execve")], 2);
	assert_int_equal(got[TP_ENTRY][LX_SYS64][ROW("wait4")], 1);
	assert_int_equal(got[TP_RETURN][LX_SYS64][ROW("wait4")], 1);
	assert_int_equal(got[TP_ENTRY][LX_SYS64][ROW("exit_group")], 2);
	assert_int_equal(got[TP_RETURN][LX_SYS64][ROW("exit_group")], 0);
	assert_int_equal(th_stop(&h), 0);
}

/* Sessions come and go on a running guest, some by a closed socket, some while others stay. */
static void guests_do_not_notice(void **state)
{
	struct th h = th_start();
	int go;
	pid_t pid = guest_start("busy", NULL, &go);
	char text[ERR_MAX];
	uint64_t seen = 0;

	guest_release(go);
	ts_consumer = 1; /* a running process that we did not start, as far as the holder knows */
	nap(50);
	for (int i = 0; i < 60; i++) {
		struct ts s, s2;

		memset(got, 0, sizeof(got));
		if (ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), SES_F_FOLLOW, 1, &pid, text) < 0)
			fail_msg("session %d: %s; status %x", i, text, wait_status(pid));
		if ((i & 1) && ts_open(&s2, th_connect(&h), tp_count(calls, NCALLS, 0), 0, 1, &pid, text) < 0)
			fail_msg("%s", text);
		ts_go(&s);
		nap(i % 7 * 3);
		if (i & 1) { /* the second consumer dies without a word */
			ts_go(&s2);
			close(s2.sock);
			munmap(s2.arena, s2.size);
			free(s2.img);
		}
		nap(i % 5 * 3);
		ts_stop(&s, got);
		seen += got[TP_ENTRY][LX_SYS64][ROW("getppid")];
		if (i % 10 == 0)
			assert_true(wait_detached(pid));
	}
	assert_true(seen > 100);
	kill(pid, SIGTERM);
	assert_int_equal(wait_status(pid), 0);
	assert_int_equal(th_stop(&h), 0);
}

static void stopped_guests_stay_stopped(void **state)
{
	struct th h = th_start();
	struct ts s;
	int go, status;
	pid_t pid = guest_start("spin", NULL, &go);

	guest_release(go);
	ts_consumer = 1; /* a running process that we did not start, as far as the holder knows */
	nap(50);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), 0, 1, &pid, NULL), 0);
	ts_go(&s);
	nap(50);
	memset(got, 0, sizeof(got));
	ts_stop(&s, got);
	assert_int_equal(got[TP_ENTRY][LX_SYS64][ROW("getppid")], 0);
	assert_true(wait_detached(pid));
	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), 0, 1, &pid, NULL), 0);
	ts_go(&s);
	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
	assert_true(WIFCONTINUED(status));
	nap(50);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	ts_stop(&s, got);
	assert_true(got[TP_ENTRY][LX_SYS64][ROW("getppid")] > 0);
	kill(pid, SIGCONT);
	kill(pid, SIGTERM);
	assert_int_equal(wait_status(pid), 0);
	assert_int_equal(th_stop(&h), 0);
}

/* The holder is killed: guests go on. */
static void killed_holder_leaves_guests(void **state)
{
	struct th h = th_start();
	struct ts s;
	int go;
	pid_t pid = guest_start("spin", NULL, &go);

	guest_release(go);
	ts_consumer = 1; /* a running process that we did not start, as far as the holder knows */
	nap(50);
	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), SES_F_FOLLOW, 1, &pid, NULL), 0);
	ts_go(&s);
	nap(30);
	kill(h.pid, SIGKILL);
	assert_int_equal(wait_status(h.pid), SIGKILL);
	assert_true(wait_detached(pid));
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	assert_int_equal(wait_status(pid), SIGKILL);
	close(h.control);
	close(s.sock);
	munmap(s.arena, s.size);
	free(s.img);
}

static void errors_say_what(void **state)
{
	struct th h = th_start(), other = th_start();
	char text[ERR_MAX];
	struct ts s, s2;
	pid_t none = 0x3ffffffe, self = h.pid, pid;
	int go;

	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), 0, 1, &none, text), -1);
	assert_string_equal(text, "process 1073741822: no such process");
	close(s.sock);
	free(s.img);
	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), 0, 1, &self, text), -1);
	assert_non_null(strstr(text, "the tracer itself"));
	close(s.sock);
	free(s.img);
	pid = guest_start("busy", NULL, &go);
	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), 0, 1, &pid, text), 0);
	assert_int_equal(ts_open(&s2, th_connect(&other), tp_count(calls, NCALLS, 0), 0, 1, &pid, text), -1);
	assert_non_null(strstr(text, "is already traced by test_holder (pid "));
	close(s2.sock);
	free(s2.img);
	ts_stop(&s, NULL);
	kill(pid, SIGKILL);
	wait_status(pid);
	assert_int_equal(th_stop(&h), 0);
	assert_int_equal(th_stop(&other), 0);
}

/* True if the holder hangs up on this consumer. */
static bool hung_up(int sock)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };
	struct ses_msg m;

	return poll(&p, 1, 5000) == 1 && ses_recv(sock, &m, NULL) == 0;
}

static void bad_consumers_are_dropped(void **state)
{
	struct th h = th_start();
	struct ses_msg m = { .type = SES_GO, .version = SES_VERSION };
	struct dasm *a;
	struct ts s;
	int sock;

	sock = th_connect(&h); /* out of order */
	assert_int_equal(ses_send(sock, &m, -1), 0);
	assert_true(hung_up(sock));
	close(sock);
	sock = th_connect(&h); /* no message at all */
	assert_int_equal(send(sock, "hello", 5, 0), 5);
	assert_true(hung_up(sock));
	close(sock);
	sock = th_connect(&h); /* too many targets */
	m.type = SES_OPEN;
	m.u.open.ntargets = 100000;
	assert_int_equal(ses_send(sock, &m, -1), 0);
	assert_true(hung_up(sock));
	close(sock);
	sock = th_connect(&h); /* a zone that this holder does not have */
	m.u.open.ntargets = 0;
	m.u.open.flags = SES_F_ZONE;
	assert_int_equal(ses_send(sock, &m, -1), 0);
	assert_true(hung_up(sock));
	close(sock);
	/* A program that is none; one whose calls do not exist; no program. */
	sock = th_connect(&h);
	a = tp_count(calls, NCALLS, 0);
	a->insn[0].op = 255;
	assert_int_equal(ts_open(&s, sock, a, 0, 0, NULL, NULL), -1);
	close(sock);
	free(s.img);
	sock = th_connect(&h);
	a = tp_count(calls, NCALLS, 0);
	a->probe[0].row = 60000;
	assert_int_equal(ts_open(&s, sock, a, 0, 0, NULL, NULL), -1);
	close(sock);
	free(s.img);
	/* One that fills the socket and never reads. */
	sock = th_connect(&h);
	assert_int_equal(ts_open(&s, sock, tp_count(calls, NCALLS, 0), 0, 0, NULL, NULL), 0);
	fcntl(sock, F_SETFL, O_NONBLOCK);
	m = (struct ses_msg){ .type = SES_SNAP, .version = SES_VERSION };
	for (int i = 0; i < 20000 && ses_send(sock, &m, -1) != -EPIPE; i++)
		if (i % 64 == 63)
			nap(1);
	assert_int_equal(ses_send(sock, &m, -1), -EPIPE);
	close(sock);
	munmap(s.arena, s.size);
	free(s.img);
	/* And it still serves. */
	assert_int_equal(ts_open(&s, th_connect(&h), tp_count(calls, NCALLS, 0), SES_F_CONTROL, 0, NULL, NULL), 0);
	ts_go(&s);
	ts_stop(&s, NULL);
	assert_int_equal(th_stop(&h), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(begin_end_tick, fresh),
		cmocka_unit_test_setup(without_control_no_own_probes, fresh),
		cmocka_unit_test_setup(counts_are_exact, fresh),
		cmocka_unit_test_setup(guests_do_not_notice, fresh),
		cmocka_unit_test_setup(stopped_guests_stay_stopped, fresh),
		cmocka_unit_test_setup(killed_holder_leaves_guests, fresh),
		cmocka_unit_test_setup(errors_say_what, fresh),
		cmocka_unit_test_setup(bad_consumers_are_dropped, fresh),
	};

	if (argc > 2 && !strcmp(argv[1], "guest"))
		_exit(guest_main(argc, argv)); /* no leak checker: it does not work in traced processes */
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("holder", tests, NULL, NULL);
}
