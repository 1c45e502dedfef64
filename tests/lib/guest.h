/* For guests of tests/lx: TAP, what the zone was asked to be, buffers that end at an unmapped page, system calls with junk
 * in the register bits that do not count. Include it once; needs nothing but a C library. */
#ifndef TESTS_GUEST_H
#define TESTS_GUEST_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

static int tap_n, tap_bad;

UNUSED __attribute__((format(printf, 2, 3))) static bool ok(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	tap_bad += !good;
	return good;
}

UNUSED static bool eq(long got, long want, const char *what)
{
	if (ok(got == want, "%s", what))
		return true;
	printf("# got %ld, want %ld\n", got, want);
	return false;
}

UNUSED static bool str_eq(const char *got, const char *want, const char *what)
{
	if (ok(!strcmp(got, want), "%s", what))
		return true;
	printf("# got \"%s\", want \"%s\"\n", got, want);
	return false;
}

UNUSED static int done(void)
{
	printf("1..%d\n", tap_n);
	return tap_bad != 0;
}

UNUSED static bool in_zone(void)
{
	const char *mode = getenv("LXTEST_MODE");

	return mode && !strcmp(mode, "zone");
}

/* Value of an attribute that this zone was given by `--set key=value`, NULL if none. */
UNUSED static const char *attribute(const char *key)
{
	static char value[8][128];
	static int turn;
	const char *s = getenv("LXTEST_ARGS");
	size_t n = strlen(key);

	if (!in_zone())
		return NULL;
	while (s && (s = strstr(s, "--set "))) {
		s += 6;
		if (!strncmp(s, key, n) && s[n] == '=') {
			char *v = value[turn++ & 7];

			snprintf(v, sizeof(value[0]), "%.*s", (int)strcspn(s + n + 1, " "), s + n + 1);
			return v;
		}
	}
	return NULL;
}

/* A buffer whose last byte is the last of its page; the next page cannot be touched. Filled with 0xa5. */
UNUSED static char *edge(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
	char *p = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + room, page, PROT_NONE)) {
		perror("mmap");
		exit(1);
	}
	memset(p, 0xa5, room);
	return p + room - size;
}

UNUSED static char *read_only(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* A 32-bit argument as a register may bring it: what lies above does not count. */
#if defined(__x86_64__)
#define JUNK(x) ((long)((unsigned long)(unsigned int)(x) | 0xdeadbeef00000000UL))
#else
#define JUNK(x) ((long)(x))
#endif

/* The raw result: >= 0 or -errno. */
#define CALL(...) raw(syscall(__VA_ARGS__))
UNUSED static long raw(long r)
{
	return r == -1 ? -errno : r;
}

/* Runs fn in a child; its exit status, or 128 + the signal that ended it. */
UNUSED static int in_child(int (*fn)(void *), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(fn(arg));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#endif
