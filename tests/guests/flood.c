/* flood THREADS: a hostile guest that makes emulated calls without end, with good and bad addresses, forks and dies in them. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static void *flood(void *arg)
{
	static const long bad[] = { 0, 1, -1, -4096, 0x7fffffffffffL };
	struct utsname u;

	for (long i = 0;; i++) {
		syscall(SYS_uname, i % 7 ? (long)&u : bad[i % 5]);
		syscall(SYS_sched_setaffinity, (long)(i % 3 ? 0 : i), 8L, i % 2 ? (long)&u : bad[i % 5]);
	}
	return arg;
}

/* Unmaps the memory that the other thread has its answers written to. */
static void *unmap(void *arg)
{
	for (;;) {
		void *p = mmap(arg, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

		syscall(SYS_uname, (long)p + 3900);
		munmap(p, 4096);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t id;

	for (int i = 0; i < n; i++)
		pthread_create(&id, NULL, i & 1 ? unmap : flood, page);
	puts("flooding");
	fflush(stdout);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			pthread_create(&id, NULL, flood, NULL);
			usleep(3000);
			kill(getpid(), SIGKILL);
		}
		waitpid(pid, NULL, 0);
	}
}
