/* Signals while calls are emulated. Natively these calls cannot be interrupted. Caught ones can for as long as nobody has
 * taken them up, about a microsecond: with SA_RESTART that never shows; without it the call may answer EINTR, and then it
 * has not happened. Nothing else may change: no call lost, none done twice, no signal lost, no thread stuck.
 * lxtest: timeout=300
 * lxtest: --set kernel-version=4.4.0 --set cpus=1
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>

#include "tests/lib/guest.h"

static volatile sig_atomic_t fired;

static void handler(int sig)
{
	fired++;
}

/* Emulated calls from within a handler, in the middle of whatever was interrupted. */
static void calling_handler(int sig)
{
	int saved = errno;
	struct utsname u;

	fired++;
	if (syscall(SYS_uname, &u) && errno != EINTR)
		abort();
	errno = saved;
}

static void storm(int flags, void (*fn)(int), long usec)
{
	struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };
	struct itimerval it = { { 0, usec }, { 0, usec } };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	fired = 0;
}

static void calm(void)
{
	struct itimerval it = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &it, NULL);
}

struct tally {
	long done, interrupted, wrong;
};

static void call_many(long n, struct tally *t)
{
	static struct utsname first;
	struct utsname u;

	if (!first.sysname[0])
		uname(&first);
	for (long i = 0; i < n; i++) {
		u.release[0] = 0;
		long r = CALL(SYS_uname, &u);

		if (!r && !memcmp(&u, &first, sizeof(u)))
			t->done++;
		else if (r == -EINTR)
			t->interrupted++;
		else
			t->wrong++;
	}
}

static void check(const char *what, int flags, void (*fn)(int), long usec, long n)
{
	struct tally t = { 0 };
	long signals;

	storm(flags, fn, usec);
	call_many(n, &t);
	calm();
	signals = fired;
	eq(t.wrong, 0, what);
	eq(t.done + t.interrupted, n, "every call has an answer");
	ok(signals > 0 || usec > 100000, "signals came: %ld", signals);
	if ((flags & SA_RESTART) || !in_zone())
		eq(t.interrupted, 0, "none was interrupted");
	else
		ok(t.interrupted <= signals, "of %ld signals %ld interrupted a call", signals, t.interrupted);
}

/* A call that waits is still interrupted as always. */
static void check_blocking(void)
{
	struct timespec second = { 1, 0 };
	int pipes[2];
	char c;

	storm(0, handler, 20000);
	eq(CALL(SYS_nanosleep, &second, NULL), -EINTR, "nanosleep is interrupted");
	if (!pipe(pipes))
		eq(CALL(SYS_read, pipes[0], &c, 1L), -EINTR, "read is interrupted");
	calm();
}

static void *bombard(void *arg)
{
	pthread_t *target = arg;

	for (int i = 0; i < 2000; i++) {
		pthread_kill(*target, SIGURG);
		usleep(50);
	}
	return NULL;
}

/* What Go's runtime does to its threads. */
static void check_urgent(long n)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK };
	pthread_t self = pthread_self(), id;
	struct tally t = { 0 };

	sigaction(SIGURG, &sa, NULL);
	pthread_create(&id, NULL, bombard, &self);
	call_many(n, &t);
	pthread_join(id, NULL);
	eq(t.done, n, "SIGURG from another thread: every call is done");
}

static int killed_child(void *arg)
{
	struct utsname u;

	alarm(0);
	signal(SIGALRM, SIG_DFL);
	storm(0, SIG_DFL, 3000);
	while (!uname(&u))
		;
	return 1;
}

static int mask_child(void *arg)
{
	unsigned long all[128], want[128] = { 0 }, got[128];
	struct tally t = { 0 };
	long n;

	memset(all, 0xff, sizeof(all));
	n = CALL(SYS_sched_getaffinity, 0L, 1024L, want);
	storm(SA_RESTART, handler, 500);
	for (int i = 0; i < 500; i++) {
		memset(got, 0, sizeof(got));
		if (CALL(SYS_sched_setaffinity, 0L, 1024L, all) || CALL(SYS_sched_getaffinity, 0L, 1024L, got) != n ||
		    memcmp(got, want, sizeof(got)))
			t.wrong++;
	}
	calm();
	return t.wrong ? 1 : 0;
}

/* LXTEST_FEWER=N: one N-th of all calls, for where each takes long. */
int main(void)
{
	long fewer = getenv("LXTEST_FEWER") ? atol(getenv("LXTEST_FEWER")) : 1;

	check("a storm with SA_RESTART", SA_RESTART, handler, 200, 40000 / fewer);
	check("a storm without SA_RESTART", 0, handler, 200, 40000 / fewer);
	check("a slower one without", 0, handler, 1000, 20000 / fewer);
	check("handlers that call too", SA_RESTART, calling_handler, 1000, 20000 / fewer);
	check_blocking();
	check_urgent(20000 / fewer);
	eq(in_child(mask_child, NULL), 0, "affinity under a storm");
	for (int i = 0; i < 10; i++)
		eq(in_child(killed_child, NULL), 128 + SIGALRM, "killed in the middle");
	return done();
}
