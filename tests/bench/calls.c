/* calls getppid|uname N: makes N system calls and prints what one took, in ns of real time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? strtol(argv[2], NULL, 0) : 0;
	struct utsname u;
	uint64_t t0;

	if (n <= 0 || (strcmp(argv[1], "getppid") && strcmp(argv[1], "uname"))) {
		fputs("usage: calls getppid|uname N\n", stderr);
		return 2;
	}
	t0 = now();
	if (!strcmp(argv[1], "uname"))
		for (long i = 0; i < n; i++)
			syscall(SYS_uname, &u);
	else
		for (long i = 0; i < n; i++)
			syscall(SYS_getppid);
	printf("%.1f\n", (double)(now() - t0) / (double)n);
	return 0;
}
