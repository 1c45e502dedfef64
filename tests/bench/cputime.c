/* cputime CMD ARGS: runs a command and prints the CPU time that it and its children took, in microseconds, to stdout; what
 * the command prints goes to stderr. Its status is the command's. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage r;
	int status;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: cputime CMD ARGS\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &r) < 0) {
		perror("cputime");
		return 1;
	}
	printf("%lld\n", (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000LL + r.ru_utime.tv_usec + r.ru_stime.tv_usec);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
