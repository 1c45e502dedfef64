/* sched_getaffinity(2), and the processors that a zone shows.
 * lxtest: --set cpus=1
 * lxtest: --set cpus=2
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "tests/lib/guest.h"

static unsigned bits(const unsigned long *mask, long size)
{
	unsigned n = 0;

	for (long i = 0; i < size / (long)sizeof(long); i++)
		n += (unsigned)__builtin_popcountl(mask[i]);
	return n;
}

static sem_t go;
static pid_t thread_tid;

static void *thread_main(void *arg)
{
	thread_tid = (pid_t)syscall(SYS_gettid);
	sem_post(arg);
	sem_wait(&go);
	return NULL;
}

static int ask_parent(void *arg)
{
	unsigned long mask[128];

	return CALL(SYS_sched_getaffinity, JUNK(getppid()), 1024L, mask) > 0 ? 0 : 1;
}

static void check_masks(void)
{
	const char *cpus = attribute("cpus");
	unsigned long *big = (unsigned long *)edge(1024), *small;
	long full = CALL(SYS_sched_getaffinity, JUNK(0), JUNK(1024), big), n;
	size_t word = sizeof(long);

	ok(full > 0 && full % (long)sizeof(long) == 0, "returns the size of the kernel's mask: %ld", full);
	if (full <= 0)
		return;
	if (cpus)
		eq(bits(big, full), atoi(cpus), "as many processors as the zone has");
	else
		ok(bits(big, full) > 0, "%u processors", bits(big, full));
	ok(big[full / (long)word] == (sizeof(long) == 8 ? 0xa5a5a5a5a5a5a5a5UL : 0xa5a5a5a5UL), "what lies behind stays");
	small = (unsigned long *)edge(word);
	n = CALL(SYS_sched_getaffinity, 0L, JUNK(word), small);
	ok(n == (long)word, "a mask of one word: %ld", n);
	ok(small[0] == big[0], "holds the same");
	if (cpus) {
		eq(sysconf(_SC_NPROCESSORS_ONLN) >= 1, 1, "sysconf finds processors");
		ok(big[0] == (1UL << atoi(cpus)) - 1, "they are numbered from 0: %#lx", big[0]);
	}
}

static void check_errors(void)
{
	unsigned long *p = (unsigned long *)edge(1024);

	eq(CALL(SYS_sched_getaffinity, 0L, 0L, p), -EINVAL, "size 0");
	eq(CALL(SYS_sched_getaffinity, 0L, (long)sizeof(long) + 1, p), -EINVAL, "a size that is no multiple of a long");
	eq(CALL(SYS_sched_getaffinity, 0L, JUNK(0), NULL), -EINVAL, "size before address");
	eq(CALL(SYS_sched_getaffinity, JUNK(999999999), 0L, NULL), -EINVAL, "size before thread");
	eq(CALL(SYS_sched_getaffinity, JUNK(999999999), 1024L, NULL), -ESRCH, "thread before address");
	eq(CALL(SYS_sched_getaffinity, JUNK(-1), 1024L, p), -ESRCH, "a negative thread");
	eq(CALL(SYS_sched_getaffinity, 0L, 1024L, NULL), -EFAULT, "NULL");
	eq(CALL(SYS_sched_getaffinity, 0L, 1024L, edge(sizeof(long) - 1)), -EFAULT, "a word that crosses into an unmapped page");
	eq(CALL(SYS_sched_getaffinity, 0L, 1024L, read_only(4096)), -EFAULT, "read-only");
	eq(CALL(SYS_sched_getaffinity, 0L, 0x20000000L, p), -EINVAL, "a size whose number of bits is 0 in 32 bits");
}

static void check_others(void)
{
	unsigned long mine[128] = { 0 }, its[128] = { 0 };
	pthread_t id;
	sem_t ready;

	sem_init(&ready, 0, 0);
	sem_init(&go, 0, 0);
	pthread_create(&id, NULL, thread_main, &ready);
	sem_wait(&ready);
	CALL(SYS_sched_getaffinity, 0L, 1024L, mine);
	ok(CALL(SYS_sched_getaffinity, JUNK(thread_tid), 1024L, its) > 0, "another thread by its id");
	ok(!memcmp(mine, its, sizeof(mine)), "has the same");
	ok(CALL(SYS_sched_getaffinity, JUNK(getpid()), 1024L, its) > 0, "this process by its id");
	sem_post(&go);
	pthread_join(id, NULL);
	eq(in_child(ask_parent, NULL), 0, "a child can ask for its parent");
}

int main(void)
{
	check_masks();
	check_errors();
	check_others();
	return done();
}
