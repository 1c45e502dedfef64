/* getcpu(2) by its number: the vDSO, which most programs ask, never gets here.
 * lxtest: --set cpus=1
 * lxtest: --set cpus=2
 */
#include <sched.h>

#include "tests/lib/guest.h"

int main(void)
{
	const char *cpus = attribute("cpus");
	unsigned *cpu = (unsigned *)edge(sizeof(*cpu)), *node = (unsigned *)edge(sizeof(*node));
	unsigned long mask[128] = { 0 };

	eq(CALL(SYS_getcpu, cpu, node, -1L), 0, "both, at unmapped pages; the third argument does not count");
	ok(*node < 1024, "node %u", *node);
	if (cpus)
		ok(*cpu < (unsigned)atoi(cpus), "cpu %u is one of the zone's", *cpu);
	else
		ok(*cpu < 8192, "cpu %u", *cpu);
	CALL(SYS_sched_getaffinity, 0L, 1024L, mask);
	ok(mask[*cpu / (8 * sizeof(long))] >> *cpu % (8 * sizeof(long)) & 1, "and one that this thread may run on");
	eq(CALL(SYS_getcpu, NULL, NULL, NULL), 0, "neither");
	eq(CALL(SYS_getcpu, cpu, NULL, NULL), 0, "cpu alone");
	eq(CALL(SYS_getcpu, NULL, node, NULL), 0, "node alone");
	*cpu = *node = ~0U;
	eq(CALL(SYS_getcpu, 0x100L, node, NULL), -EFAULT, "cpu at an unmapped page");
	ok(*node != ~0U, "the node is told all the same");
	eq(CALL(SYS_getcpu, cpu, 0x100L, NULL), -EFAULT, "node at an unmapped page");
	ok(*cpu != ~0U, "the cpu is told all the same");
	eq(CALL(SYS_getcpu, edge(3), NULL, NULL), -EFAULT, "one byte too small for it");
	return done();
}
