/* Makes numbers of system calls that its arguments fix, whatever the C library does beside them.
 *
 *   fixed threads T N     T threads (the first included) make N getppid and N getpgrp each
 *   fixed forks F N       F children one after the other make N getppid each; F wait4
 *   fixed vforks F        F children by vfork that leave at once; F wait4
 *   fixed execs E PATH... runs itself E times, going round the PATHs (binaries of several ABIs); one getppid each
 *   fixed signals N       N kill of itself with a handler; N rt_sigreturn (sigreturn on i386)
 *   fixed threadexec PATH a second thread executes PATH (fixed, to make 1 getppid) while the first waits
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long count;

static void *calls(void *arg)
{
	for (long i = 0; i < count; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getpgrp);
	}
	return NULL;
}

static int threads(long t)
{
	pthread_t *id = calloc((size_t)t, sizeof(*id));

	for (long i = 1; i < t; i++)
		if (pthread_create(&id[i], NULL, calls, NULL))
			return 1;
	calls(NULL);
	for (long i = 1; i < t; i++)
		pthread_join(id[i], NULL);
	free(id);
	return 0;
}

static int wait_one(pid_t pid)
{
	return pid < 0 || syscall(SYS_wait4, (long)pid, NULL, 0L, NULL) != pid;
}

static int forks(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (long k = 0; k < count; k++)
				syscall(SYS_getppid);
			_exit(0);
		}
		if (wait_one(pid))
			return 1;
	}
	return 0;
}

static int vforks(volatile long n)
{
	while (n-- > 0) {
		pid_t pid = vfork();

		if (pid == 0)
			_exit(0);
		if (wait_one(pid))
			return 1;
	}
	return 0;
}

static int execs(long left, int npath, char **path)
{
	char number[24], *argv[12] = { path[0], "execs", number };

	syscall(SYS_getppid);
	if (left == 0)
		return 0;
	snprintf(number, sizeof(number), "%ld", left - 1);
	/* The paths turn by one, so that each run is another ABI's. */
	for (int i = 0; i < npath && i < 8; i++)
		argv[3 + i] = path[(i + 1) % npath];
	execv(path[0], argv);
	perror(path[0]);
	return 1;
}

static void handler(int sig)
{
}

static int signals(long n)
{
	struct sigaction sa = { .sa_handler = handler };

	sigaction(SIGUSR1, &sa, NULL);
	for (long i = 0; i < n; i++)
		kill(getpid(), SIGUSR1);
	return 0;
}

static void *exec_from_thread(void *path)
{
	execl(path, path, "forks", "0", "0", NULL);
	_exit(1);
}

static int threadexec(char *path)
{
	pthread_t id;

	if (pthread_create(&id, NULL, exec_from_thread, path))
		return 1;
	pthread_join(id, NULL);
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 0) : 0;

	count = argc > 3 ? strtol(argv[3], NULL, 0) : 0;
	if (!strcmp(what, "threads"))
		return threads(n);
	if (!strcmp(what, "forks"))
		return forks(n);
	if (!strcmp(what, "vforks"))
		return vforks(n);
	if (!strcmp(what, "execs") && argc > 3)
		return execs(n, argc - 3, argv + 3);
	if (!strcmp(what, "signals"))
		return signals(n);
	if (!strcmp(what, "threadexec"))
		return threadexec(argv[2]);
	fputs("fixed: see its first comment\n", stderr);
	return 2;
}
