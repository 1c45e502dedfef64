/* sysinfo(2), and the memory that a zone shows.
 * lxtest: --set memory=512M
 * lxtest: --set memory=64G
 */
#include <sys/sysinfo.h>
#include <time.h>

#include "tests/lib/guest.h"

#define SIZE (sizeof(long) == 8 ? 112 : 64)

static unsigned long long bytes(const char *s)
{
	char *end;
	unsigned long long n = strtoull(s, &end, 10);

	return *end == 'G' ? n << 30 : *end == 'M' ? n << 20 : n;
}

static void check_fields(void)
{
	const char *memory = attribute("memory");
	struct sysinfo *s = (struct sysinfo *)edge((size_t)SIZE);
	unsigned long long unit, total;
	struct timespec now;

	eq(CALL(SYS_sysinfo, s, -1L, -1L), 0, "fits a buffer that ends at an unmapped page");
	unit = s->mem_unit;
	total = s->totalram * unit;
	ok(unit && !(unit & (unit - 1)) && unit <= 4096, "unit is a power of two up to a page");
	ok(sizeof(long) == 4 || unit == 1, "unit is one byte where a long has 64 bits");
	ok((s->freeram + s->bufferram) * unit <= total && s->sharedram * unit <= total, "parts are not more than the whole");
	ok(s->freeswap <= s->totalswap, "free swap is not more than swap");
	ok(!s->totalhigh && !s->freehigh, "no high memory");
	ok(s->procs > 0, "there are threads");
	if (memory)
		ok(total == bytes(memory), "memory is the zone's: %llu", total);
	else
		ok(total == (unsigned long long)sysconf(_SC_PHYS_PAGES) * 4096 || total >> 20, "memory is the host's: %llu", total);
	clock_gettime(CLOCK_BOOTTIME, &now);
	ok(labs((long)now.tv_sec + 1 - (long)s->uptime) <= 1, "uptime is CLOCK_BOOTTIME's: %ld", (long)s->uptime);
}

static void check_faults(void)
{
	eq(CALL(SYS_sysinfo, NULL), -EFAULT, "NULL");
	eq(CALL(SYS_sysinfo, edge((size_t)SIZE - 1)), -EFAULT, "one byte too small for it");
	eq(CALL(SYS_sysinfo, read_only(4096)), -EFAULT, "read-only");
	eq(CALL(SYS_sysinfo, -4096L), -EFAULT, "an address of the kernel's");
}

int main(void)
{
	check_fields();
	check_faults();
	return done();
}
