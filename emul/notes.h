/* What emulation notes about a call for D's lxcost: a small table in shared memory, written by the monitor before it answers,
 * read by the holder when the call returns. Keyed by the thread; a collision loses a note, never a call. */
#ifndef EMUL_NOTES_H
#define EMUL_NOTES_H

#include <stddef.h>
#include <stdint.h>

#define EMUL_NNOTES 4096

struct emul_note {
	uint32_t tid;   /* host thread id; written last */
	uint32_t nr;    /* system call number */
	uint64_t cost;  /* ns in our handler */
};

struct emul_notes {
	struct emul_note note[EMUL_NNOTES];
};

#endif
