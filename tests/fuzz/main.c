/* Drives a fuzz target without libFuzzer, with any compiler: every file of the corpus as it is, then mutations of them from
 * a fixed seed for a few seconds, so that two runs of one build do the same. An input that kills the target is kept.
 *
 *   fuzz_x [-seconds=N] [-seed=N] [FILE|FOLDER]...     files alone are only replayed
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define INPUT_MAX 4096
#define MAX_CORPUS 4096

struct input {
	uint8_t *data;
	size_t len;
};

static struct input corpus[MAX_CORPUS];
static size_t ncorpus;
static uint8_t current[INPUT_MAX];
static size_t current_len;
static uint64_t rng;

static uint64_t rnd(uint64_t below)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return below ? rng % below : 0;
}

/* Async-signal-safe: the target is in any state. */
static void keep_input(void)
{
	static const char name[] = "crash-input";
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n = -1;

	if (fd >= 0) {
		n = write(fd, current, current_len);
		close(fd);
	}
	if (n == (ssize_t)current_len)
		n = write(STDERR_FILENO, "the input is in ./crash-input\n", 30);
}

static void on_signal(int sig)
{
	keep_input();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* There with a sanitizer only: it ends the process without a signal. */
extern void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));

static void run_one(const uint8_t *data, size_t len)
{
	/* The target gets a block of the exact size, so that a sanitizer sees a read past its end. */
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	memcpy(current, data, len);
	current_len = len;
	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static void corpus_add(const uint8_t *data, size_t len)
{
	if (ncorpus == MAX_CORPUS)
		return;
	corpus[ncorpus].data = malloc(len ? len : 1);
	if (!corpus[ncorpus].data)
		abort();
	memcpy(corpus[ncorpus].data, data, len);
	corpus[ncorpus++].len = len;
}

static void load_file(const char *path)
{
	static uint8_t buf[INPUT_MAX];
	FILE *f = fopen(path, "rbe");

	if (!f) {
		perror(path);
		exit(1);
	}
	corpus_add(buf, fread(buf, 1, sizeof(buf), f));
	fclose(f);
}

static void load_folder(const char *path)
{
	struct dirent **ents;
	int n = scandir(path, &ents, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, ents[i]->d_name);
		if (ents[i]->d_name[0] != '.')
			load_file(file);
		free(ents[i]);
	}
	if (n >= 0)
		free(ents);
}

/* One random edit. Returns the new length; buf has room for INPUT_MAX. */
static size_t edit(uint8_t *buf, size_t len)
{
	static const uint64_t special[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
	size_t at = rnd(len + 1), n;
	const struct input *other;

	switch (rnd(7)) {
	case 0: /* flip a bit */
		if (at < len)
			buf[at] ^= (uint8_t)(1u << rnd(8));
		return len;
	case 1: /* any byte */
		if (at < len)
			buf[at] = (uint8_t)rnd(256);
		return len;
	case 2: { /* a number at the edge of its type */
		uint64_t v = special[rnd(sizeof(special) / sizeof(special[0]))];

		n = (size_t)1 << rnd(4);
		if (at + n <= len)
			memcpy(buf + at, &v, n);
		return len;
	}
	case 3: /* drop some */
		n = rnd(len - at + 1);
		n = n > 64 ? rnd(64) : n;
		memmove(buf + at, buf + at + n, len - at - n);
		return len - n;
	case 4: /* insert some bytes, all alike */
		n = rnd(rnd(16) ? 16 : 512);
		if (len + n > INPUT_MAX)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		memset(buf + at, (int)rnd(256), n);
		return len + n;
	case 5: /* repeat a piece of itself */
		n = rnd(len - at + 1);
		if (len + n > INPUT_MAX)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		return len + n;
	default: /* the rest from another input */
		other = &corpus[rnd(ncorpus)];
		n = rnd(other->len + 1);
		if (at + n > INPUT_MAX)
			return len;
		memcpy(buf + at, other->data + other->len - n, n);
		return at + n;
	}
}

static void mutate_for(double seconds)
{
	static uint8_t buf[INPUT_MAX];
	struct timespec t0, t;
	uint64_t runs = 0;

	clock_gettime(CLOCK_MONOTONIC, &t0);
	do {
		const struct input *from = &corpus[rnd(ncorpus)];
		size_t len = from->len;

		memcpy(buf, from->data, len);
		for (uint64_t n = 1 + rnd(8); n; n--)
			len = edit(buf, len);
		run_one(buf, len);
		runs++;
		/* What was tried is a start for later ones: edits add up. */
		if (ncorpus < MAX_CORPUS && !rnd(64))
			corpus_add(buf, len);
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while ((double)(t.tv_sec - t0.tv_sec) + 1e-9 * (double)(t.tv_nsec - t0.tv_nsec) < seconds);
	printf("# %llu inputs\n", (unsigned long long)runs);
}

int main(int argc, char **argv)
{
	double seconds = 3;
	bool mutate = argc < 2;
	struct stat st;

	rng = 0x9e3779b97f4a7c15u;
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "-seconds=", 9)) {
			seconds = strtod(argv[i] + 9, NULL);
			mutate = true;
		} else if (!strncmp(argv[i], "-seed=", 6)) {
			rng += 0x100000001b3u * strtoull(argv[i] + 6, NULL, 0);
			mutate = true;
		} else if (!stat(argv[i], &st) && S_ISDIR(st.st_mode)) {
			load_folder(argv[i]);
			mutate = true;
		} else {
			load_file(argv[i]);
		}
	}
	for (int *sig = (int[]){SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, 0}; *sig; sig++)
		signal(*sig, on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(keep_input);
	if (!ncorpus)
		corpus_add((const uint8_t *)"", 0);
	for (size_t i = 0, n = ncorpus; i < n; i++)
		run_one(corpus[i].data, corpus[i].len);
	if (mutate)
		mutate_for(seconds);
	for (size_t i = 0; i < ncorpus; i++)
		free(corpus[i].data);
	puts("ok 1 - no crash\n1..1");
	return 0;
}
