/* every_call NAME=NUMBER...: makes each call in a child of its own, with arguments that do no harm and mostly cannot be valid,
 * and prints a line "NAME RESULT": 0, an errno, or "signal" for one that did not come back. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* With -1 for everything these answer ENOSYS on every kernel: function 0 of theirs exists. */
static const char *const zeros[] = { "futex", "ipc", "modify_ldt", "futex_time64" };

/* vfork's child returns on our stack: the C library knows how to do it. */
static long by_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	return pid;
}

static void child(const char *name, long nr)
{
	static char buf[4096];
	long a = -1, self = getpid(), r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!geteuid() && setregid(65534, 65534) + setreuid(65534, 65534)) {
		/* in a user namespace of its own it stays what it is, which harms nothing but that */
	}
	for (unsigned i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++)
		if (!strcmp(name, zeros[i]))
			a = 0;
	errno = 0;
	if (!strcmp(name, "vfork"))
		r = by_vfork();
	else if (!strcmp(name, "modify_ldt"))
		r = syscall(nr, 0L, buf, 16L);
	else
		r = syscall(nr, a, a, a, a, a, a);
	if (getpid() != self)
		_exit(0);
	_exit(r == -1 && errno < 256 ? errno : 0);
}

static void one(const char *name, long nr)
{
	struct timespec tick = { 0, 1000000 };
	int status, waited = 0;
	pid_t pid = fork();

	if (!pid)
		child(name, nr);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (waited++ > 100) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			break;
		}
		if (waited > 3)
			nanosleep(&tick, NULL);
		else
			usleep(100);
	}
	if (WIFEXITED(status))
		printf("%s %d\n", name, WEXITSTATUS(status));
	else
		printf("%s signal\n", name);
}

int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	for (int i = 1; i < argc; i++) {
		char *eq = strchr(argv[i], '=');

		*eq = 0;
		one(argv[i], atol(eq + 1));
		fflush(stdout);
	}
	return 0;
}
