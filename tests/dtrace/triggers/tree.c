/* tree: a process, its child and its grandchild, each of which calls getsid(0) once and starts no other program. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pid = fork();
		getsid(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return 0;
	}
	getsid(0);
	waitpid(pid, NULL, 0);
	return 0;
}
