/* What being traced costs a thread in CPU time: measured on a child that makes empty calls, once per holder and only when a
 * program reads vtimestamp. Both halves count: inside a call (entry stop to return stop) and between two calls. Child and
 * tracer share a CPU, as guest and tracer do (engine_ptrace.c). */
#include "emul/holder_impl.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "emul/taskinfo.h"

#define CALLS 200

static void child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		syscall(SYS_getppid);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool next_stop(pid_t pid)
{
	int status;

	return ptrace(PTRACE_SYSCALL, pid, 0, 0) == 0 && waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status);
}

/* Fills d with CALLS pairs of intervals; false if the child died. */
static bool measure(pid_t pid, uint64_t d[2][CALLS])
{
	_cleanup_close_ int fd = -1;
	uint64_t last, now;
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD) < 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0 || waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		return false;
	fd = task_schedstat_open(pid);
	if (fd < 0 || !next_stop(pid))
		return false;
	last = task_cputime(fd);
	for (unsigned i = 0; i < CALLS; i++) {
		for (unsigned half = 0; half < 2; half++) {
			if (!next_stop(pid))
				return false;
			now = task_cputime(fd);
			d[half][i] = now - last;
			last = now;
		}
	}
	return true;
}

/* To where we are; following the guest will move us again. */
static void bind_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

void holder_calibrate(struct holder *h)
{
	uint64_t d[2][CALLS];
	pid_t pid;

	if (h->calibrated)
		return;
	h->calibrated = true;
	bind_cpu();
	h->eng.cpu = -1;
	pid = fork();
	if (pid == 0)
		child();
	if (pid < 0)
		return;
	if (measure(pid, d)) {
		for (unsigned half = 0; half < 2; half++) {
			qsort(d[half], CALLS, sizeof(uint64_t), compare);
			h->cost[half] = d[half][CALLS / 2];
		}
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}
