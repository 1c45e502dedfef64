/* The world that a zone's guests believe in: plain data. A brand fills it, the filter and emulation read it. */
#ifndef LX_SYSCALL_WORLD_H
#define LX_SYSCALL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "lx_syscall/lx.h"

struct lx_world {
	uint32_t version;     /* LX_VERSION of the kernel shown, 0 = the host's: nothing to hide */
	char release[65];     /* uname's release as shown ("4.4.0"), "" = the host's */
	char domainname[65];  /* "" = what the uts namespace has */
	uint32_t cpus;        /* processors shown, 0 = the host's */
	uint64_t cpu_mask[16]; /* host CPUs that guests are bound to when cpus != 0; guest CPU n is the n-th set bit */
	uint64_t memory;      /* bytes of memory shown, 0 = the host's */
	uint64_t start_ns;    /* CLOCK_BOOTTIME of the zone's start, ns */
};

/* How this world serves a row: a row is emulated only where an attribute needs it, a row newer than the world's version
 * is LX_DENY with *error = ENOSYS. *error is set for LX_DENY only. Never allocates. */
enum lx_how lx_world_how(const struct lx_world *w, unsigned row, enum lx_abi abi, int *error);

/* The attributes of a world that make an emulate row be emulated: "cpus", "a|b"; NULL for other rows. */
const char *lx_world_needed(unsigned row);

/* True if any row of either ABI is emulated in this world (else a zone needs no listener). */
bool lx_world_emulates(const struct lx_world *w);

#endif
