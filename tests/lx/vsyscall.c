/* The vsyscall page of old x86_64 programs: calls that start there meet the filter too, and are emulated like any other.
 * lxtest: --set kernel-version=4.4.0
 * lxtest: --set cpus=1
 */
#include <sched.h>
#include <sys/time.h>
#include <time.h>

#include "tests/lib/guest.h"

#ifdef __x86_64__
#define GETTIMEOFDAY 0xffffffffff600000UL
#define TIME         0xffffffffff600400UL
#define GETCPU       0xffffffffff600800UL

static bool has_page(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		found |= strstr(line, "[vsyscall]") != NULL;
	if (f)
		fclose(f);
	return found;
}

static void check(void)
{
	int (*get_time_of_day)(struct timeval *, void *) = (void *)GETTIMEOFDAY;
	int (*get_cpu)(unsigned *, unsigned *, void *) = (void *)GETCPU;
	time_t (*get_time)(time_t *) = (void *)TIME;
	const char *cpus = attribute("cpus");
	unsigned cpu = ~0U, node = ~0U;
	time_t now = time(NULL), then;
	struct timeval tv = { 0, 0 };

	then = get_time(NULL);
	/* The vDSO's second may turn a moment before the kernel's own. */
	ok(then >= now - 1 && then <= time(NULL) + 1, "time");
	eq(get_time_of_day(&tv, NULL), 0, "gettimeofday");
	ok(tv.tv_sec >= now && tv.tv_sec <= now + 2, "says the same");
	eq(get_cpu(&cpu, &node, NULL), 0, "getcpu");
	ok(cpus ? cpu < (unsigned)atoi(cpus) : cpu < 8192, "cpu %u", cpu);
	for (int i = 0; i < 1000; i++)
		if (get_cpu(&cpu, NULL, NULL)) {
			ok(false, "getcpu again and again");
			return;
		}
	ok(true, "getcpu again and again");
}
#endif

int main(void)
{
#ifdef __x86_64__
	if (has_page())
		check();
	else
		ok(true, "this host has no vsyscall page");
#else
	ok(true, "an x86_64 matter");
#endif
	return done();
}
