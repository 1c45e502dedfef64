/* Blocks in every way that a wake-up could cut short, takes signals, forks and runs, for as many seconds as it is told, and
 * prints what it would never see natively: an EINTR with no handler having run, a lost signal, a child that ended otherwise.
 * Prints "calm" at the end if there was nothing. usage: restless SECONDS
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop, hits;
static volatile int bad;
static int event;

static void check(const char *what, long result)
{
	if (result >= 0)
		return;
	printf("%s: errno %d\n", what, errno);
	fflush(stdout);
	bad = 1;
}

/* A result that may also be the end of its timeout. */
static long or_timeout(long result)
{
	return result < 0 && errno == EAGAIN ? 0 : result;
}

static int epoll_on_event(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int ep = epoll_create1(0);

	epoll_ctl(ep, EPOLL_CTL_ADD, event, &e);
	return ep;
}

static void *in_epoll(void *arg)
{
	struct epoll_event e;

	check("epoll_wait", epoll_wait(epoll_on_event(), &e, 1, -1));
	return NULL;
}

static void *in_short_epoll(void *arg)
{
	struct epoll_event e;
	int ep = epoll_on_event();

	while (!stop)
		check("epoll_wait, 20 ms", epoll_wait(ep, &e, 1, 20));
	return NULL;
}

static void *in_semop(void *arg)
{
	struct sembuf b = { .sem_op = -1 };
	struct timespec ts = { .tv_nsec = 300000000 };
	int sem = semget(IPC_PRIVATE, 1, 0600);

	while (!stop)
		check("semtimedop", or_timeout(semtimedop(sem, &b, 1, &ts)));
	semctl(sem, 0, IPC_RMID);
	return NULL;
}

static void *in_sigwait(void *arg)
{
	struct timespec ts = { .tv_nsec = 300000000 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	while (!stop)
		check("sigtimedwait", or_timeout(sigtimedwait(&set, NULL, &ts)));
	return NULL;
}

static void *in_sleep(void *arg)
{
	struct timespec ts = { .tv_nsec = 100000000 };

	while (!stop) {
		check("nanosleep", nanosleep(&ts, NULL));
		errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
		check("clock_nanosleep", -errno);
	}
	return NULL;
}

static void *in_poll(void *arg)
{
	struct pollfd p = { .fd = event, .events = POLLIN };

	check("poll", poll(&p, 1, -1));
	return NULL;
}

static void *in_recv(void *arg)
{
	struct timeval tv = { .tv_usec = 200000 };
	int s[2];
	char c;

	check("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	while (!stop)
		check("recv", or_timeout(recv(s[0], &c, 1, 0)));
	return NULL;
}

static void *in_calls(void *arg)
{
	while (!stop)
		syscall(SYS_getppid);
	return NULL;
}

static void *in_children(void *arg)
{
	int status;

	while (!stop) {
		pid_t pid = fork();

		if (pid == 0) {
			syscall(SYS_getppid);
			_exit(3);
		}
		check("waitpid", waitpid(pid, &status, 0));
		if (status != 3 << 8)
			printf("a child's status is %x\n", status), bad = 1;
	}
	return NULL;
}

static void on_usr1(int sig)
{
	hits = hits + 1;
}

static void *in_signals(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	while (!stop) {
		int before = hits;

		syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGUSR1);
		if (hits != before + 1)
			printf("a signal was lost or doubled\n"), bad = 1;
		usleep(1000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const how[])(void *) = { in_epoll, in_short_epoll, in_semop, in_sigwait, in_sleep, in_poll,
					 in_recv, in_calls, in_children, in_signals };
	enum { N = sizeof(how) / sizeof(how[0]) };
	struct timespec ts = { .tv_nsec = 100000000 };
	pthread_t thread[N];
	uint64_t one = 1;
	sigset_t set;

	event = eventfd(0, 0);
	signal(SIGUSR1, on_usr1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (unsigned i = 0; i < N; i++)
		pthread_create(&thread[i], NULL, how[i], NULL);
	for (int i = 0; argc > 1 && i < atoi(argv[1]) * 10; i++)
		check("nanosleep, main", nanosleep(&ts, NULL));
	stop = 1;
	if (write(event, &one, sizeof(one)) != sizeof(one))
		bad = 1;
	for (unsigned i = 0; i < N; i++)
		pthread_join(thread[i], NULL);
	if (!bad)
		puts("calm");
	return bad;
}
