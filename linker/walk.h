/* Walks a stack by compact tables, without frame pointers. Freestanding and without allocation: both engines use it, one
 * from outside by reading guest memory, one inside the guest. Reads nothing but through the callbacks; bounded. */
#ifndef LINKER_WALK_H
#define LINKER_WALK_H

#include "linker/table.h"

struct ld_regs { uint64_t pc, sp, fp, bx, r10; };

/* A mapped object as the walker needs it. */
struct ld_place {
	const struct ld_table *table; /* NULL: nothing known, frame pointers are tried */
	uint64_t bias;                /* guest address = link-time address + bias */
};

struct ld_walk {
	uint32_t abi; /* enum lx_abi */
	/* Finds what is mapped executable at pc; false: not code. */
	bool (*place)(void *arg, uint64_t pc, struct ld_place *out);
	/* Reads guest memory; false if any byte is not there. */
	bool (*read)(void *arg, uint64_t addr, void *dst, size_t len);
	void *arg;
};

/* Fills pcs[0..max) with the pc and the return addresses, innermost first. Returns how many. Never more than max steps;
 * stops when the stack pointer does not grow (signal frames excepted) or at the outermost frame. */
unsigned ld_walk_stack(const struct ld_walk *w, const struct ld_regs *regs, uint64_t *pcs, unsigned max);

#endif
