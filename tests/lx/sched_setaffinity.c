/* sched_setaffinity(2), in the numbers of the processors that a zone shows.
 * lxtest: --set cpus=1
 * lxtest: --set cpus=2
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "tests/lib/guest.h"

static unsigned long allowed;

static unsigned long mine(pid_t pid)
{
	unsigned long m[128] = { 0 };

	return CALL(SYS_sched_getaffinity, JUNK(pid), 1024L, m) > 0 ? m[0] : 0;
}

static void check_masks(void)
{
	unsigned long first = allowed & -allowed, last = allowed;
	unsigned long *p;

	while (last & (last - 1))
		last &= last - 1;
	p = (unsigned long *)edge(sizeof(long));
	*p = first;
	eq(CALL(SYS_sched_setaffinity, JUNK(0), JUNK(sizeof(long)), p, -1L), 0, "the first processor");
	ok(mine(0) == first, "is what getaffinity says: %#lx", mine(0));
	*p = last;
	eq(CALL(SYS_sched_setaffinity, JUNK(getpid()), (long)sizeof(long), p), 0, "the last one, by process id");
	ok(mine(0) == last, "is what getaffinity says: %#lx", mine(0));
	eq(sched_getcpu() >= 0 && 1UL << sched_getcpu() == last ? 1 : attribute("cpus") != NULL, 1, "and where it runs");
	p = (unsigned long *)edge(1024);
	memset(p, 0xff, 1024);
	eq(CALL(SYS_sched_setaffinity, 0L, JUNK(1024), p), 0, "more than there is");
	ok(mine(0) == allowed, "is what is allowed: %#lx", mine(0));
	eq(CALL(SYS_sched_setaffinity, 0L, 100000L, p), 0, "a size beyond the kernel's is cut");
}

static void check_errors(void)
{
	unsigned long *p = (unsigned long *)edge(1024);
	unsigned char *one = (unsigned char *)edge(1);
	const char *cpus = attribute("cpus");

	memset(p, 0, 1024);
	eq(CALL(SYS_sched_setaffinity, 0L, 1024L, p), -EINVAL, "no processor");
	eq(CALL(SYS_sched_setaffinity, 0L, 0L, p), -EINVAL, "size 0");
	if (cpus) {
		p[0] = ~0UL << atoi(cpus);
		eq(CALL(SYS_sched_setaffinity, 0L, (long)sizeof(long), p), -EINVAL, "only processors that the zone lacks");
	}
	p[0] = 1;
	eq(CALL(SYS_sched_setaffinity, JUNK(999999999), 1024L, p), -ESRCH, "no such thread");
	eq(CALL(SYS_sched_setaffinity, JUNK(999999999), 1024L, NULL), -EFAULT, "address before thread");
	eq(CALL(SYS_sched_setaffinity, JUNK(-1), 0L, NULL), -ESRCH, "nothing is read of size 0");
	eq(CALL(SYS_sched_setaffinity, 0L, 1024L, NULL), -EFAULT, "NULL");
	eq(CALL(SYS_sched_setaffinity, 0L, 1024L, edge(1)), -EFAULT, "a mask that crosses into an unmapped page");
	*one = 1;
	/* i386 reads whole words */
	eq(CALL(SYS_sched_setaffinity, 0L, 1L, one), sizeof(long) == 8 ? 0 : -EFAULT, "one byte at an unmapped page");
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

static int child(void *arg)
{
	return mine(0) == *(unsigned long *)arg ? 0 : 1;
}

static int bind_parent(void *arg)
{
	return CALL(SYS_sched_setaffinity, JUNK(getppid()), (long)sizeof(long), arg) ? 1 : 0;
}

static void check_others(void)
{
	unsigned long first = allowed & -allowed, all[128];
	pthread_t id;
	sem_t ready;

	memset(all, 0xff, sizeof(all));
	CALL(SYS_sched_setaffinity, 0L, 1024L, all);
	sem_init(&ready, 0, 0);
	sem_init(&go, 0, 0);
	pthread_create(&id, NULL, thread_main, &ready);
	sem_wait(&ready);
	eq(CALL(SYS_sched_setaffinity, JUNK(thread_tid), (long)sizeof(long), &first), 0, "another thread");
	ok(mine(thread_tid) == first, "is bound");
	ok(mine(0) == allowed, "and this one is not");
	sem_post(&go);
	pthread_join(id, NULL);
	eq(in_child(bind_parent, &first), 0, "a child can bind its parent");
	ok(mine(0) == first, "it is bound");
	eq(in_child(child, &first), 0, "children inherit it");
	CALL(SYS_sched_setaffinity, 0L, 1024L, all);
}

int main(void)
{
	allowed = mine(0);
	ok(allowed != 0, "allowed: %#lx", allowed);
	check_masks();
	check_errors();
	check_others();
	return done();
}
