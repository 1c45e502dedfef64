/* Prints what it knows of itself, then makes calls whose probes should show the same, in a second thread and in a child too.
 * usage: values */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A path that ends with its page: what follows is not mapped. */
static char *at_page_end(const char *text)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = strlen(text) + 1;
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + page, page);
	return memcpy(p + page - len, text, len);
}

static void tell(const char *who)
{
	char comm[16], cwd[4096];

	prctl(PR_GET_NAME, comm);
	if (!getcwd(cwd, sizeof(cwd)))
		strcpy(cwd, "?");
	printf("%s pid %d tid %ld ppid %d uid %d gid %d name %s cwd %s\n", who, getpid(), (long)syscall(SYS_gettid), getppid(),
	       getuid(), getgid(), comm, cwd);
	fflush(stdout);
	syscall(SYS_getpgid, 0); /* the probe at which D tells the same */
}

static void *second(void *arg)
{
	prctl(PR_SET_NAME, "second");
	tell("second");
	return NULL;
}

static long cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Some ten milliseconds of work without a call; prints how much it was. */
static void burn(void)
{
	long began = cpu_us();

	for (volatile long i = 0; i < 50000000; i++)
		;
	printf("burnt %ld\n", cpu_us() - began);
}

int main(int argc, char **argv)
{
	pthread_t t;

	tell("first");
	pthread_create(&t, NULL, second, NULL);
	pthread_join(t, NULL);
	if (fork() == 0) {
		tell("child");
		_exit(0);
	}
	wait(NULL);
	syscall(SYS_access, at_page_end("/no/such/file"), 4);     /* ENOENT */
	syscall(SYS_access, "/", 0);
	syscall(SYS_access, (char *)16, 1);                       /* EFAULT */
	syscall(SYS_setpriority, 7777, 2, 3);                     /* EINVAL */
	syscall(SYS_lseek, -1L, -2L, 1);                          /* EBADF */
	syscall(SYS_getsid, 0);
	burn(); /* between these two calls */
	syscall(SYS_getsid, 0);
	usleep(30000);
	syscall(SYS_getsid, 0);
	return 0;
}
