/* The D machine: verifies an image, holds a session's data in one arena, and runs the clauses of a probe that fires.
 * Freestanding: no libc, no malloc, no TLS, callable from inside a guest. All state that outlives one firing lies in the
 * arena, addressed by offsets only, because several processes map it; every offset read back from it is checked, so that
 * a process that scribbles over it spoils the trace and nothing else. Lock-free: a thread may die anywhere. */
#ifndef DVM_DVM_H
#define DVM_DVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dvm/image.h"

struct dvm_opts { /* bytes unless said; dvm_opts_default() fills in DTrace's defaults */
	uint32_t strsize;     /* 256 */
	uint32_t bufsize;     /* principal buffer, 4 MiB, rounded up to a power of two */
	uint32_t aggsize;     /* 4 MiB, each of the two tables */
	uint32_t dynvarsize;  /* 1 MiB */
	uint32_t scratchsize; /* 256 KiB: per firing */
	uint32_t bufpolicy;   /* enum dvm_bufpolicy */
	uint32_t destructive; /* 1: copyout, raise, stop, chill allowed */
	uint32_t pad;
};

enum dvm_bufpolicy { DVM_BUF_SWITCH, DVM_BUF_FILL, DVM_BUF_RING };

void dvm_opts_default(struct dvm_opts *o);

/* Checks the whole image: sections in bounds and aligned, every operand, forward jumps, string and variable ids, tuple
 * lengths, enablings. 0 or -EINVAL with the reason in why. Linear in size. */
int dvm_verify(const void *image, size_t len, char *why, size_t whylen);

/* Bytes an arena needs for this (verified) image; dvm_arena_init() fills zeroed memory of that size. 0 or -EINVAL. */
size_t dvm_arena_size(const struct dvm_image *img, const struct dvm_opts *o);
int dvm_arena_init(void *arena, size_t size, const struct dvm_image *img, const struct dvm_opts *o);

/* Bytes of private working memory that one thread needs while it fires probes (registers, locals, scratch, tuple, record). It
 * must be zeroed before its first use, and serve one struct dvm only: what does not change is kept there between firings. */
size_t dvm_scratch_size(const struct dvm_image *img, const struct dvm_opts *o);

/* What one process holds to run a session: private pointers and limits, copied once from the verified image and options. */
struct dvm {
	const struct dvm_image *img;
	uint8_t *arena;
	size_t arena_size;
	struct dvm_opts opts;
	struct dvm_layout {        /* computed from image and options alone, never read from the arena */
		uint32_t globals, globals_size, gtab;     /* global variables; their offsets by variable index */
		uint32_t slots, nbuckets;                 /* dynamic variables: hash, */
		uint32_t bitmap, chunks, nchunks, chunk;  /* chunks in use, chunks, their size */
		uint32_t agg[2], agg_slots, agg_data;     /* tables: hash, then agg_data bytes of entries */
		uint32_t buf, buf_size, buf_reserve;      /* principal ring; what only END and exit() may use */
		uint32_t arena_size;
		uint32_t tuple, record, strings, zeros;   /* private memory of a firing, bytes of each */
		uint32_t error_probe;                     /* index of ERROR, UINT32_MAX without one */
		uint32_t nregs;                           /* highest register that the code uses, and one */
		uint32_t scratch_size;
	} l;
	uint64_t stuck_pos;        /* reader: where an uncommitted record was met, */
	uint32_t stuck_times;      /* ... and how often */
};

int dvm_open(struct dvm *m, const struct dvm_image *img, const struct dvm_opts *o, void *arena, size_t size);

struct dvm_event;

/* What the machine asks of whoever fires it (an engine). Each may be NULL: then the value is 0 or the access a fault.
 * copyin, copyout: 0, or -errno when any byte is not there (nothing is promised about dst then).
 * copyinstr: bytes before the NUL (at most cap - 1, dst is terminated), or -errno.
 * builtin: integer built-ins that cost something; b is a DVM_B_* (PPID UID GID ZUID ZGID VTIMESTAMP CPU LXCOST WALLTIMESTAMP).
 * string: string built-ins beyond those in the event (CWD ROOT); bytes written without NUL, or -errno.
 * act: raise, stop, chill, f is a DVM_F_*; 0 or -errno. Also asked about PROGENYOF(arg): 1 or 0. */
struct dvm_ops {
	int (*copyin)(const struct dvm_event *ev, uint64_t addr, void *dst, size_t len);
	int (*copyout)(const struct dvm_event *ev, uint64_t addr, const void *src, size_t len);
	long (*copyinstr)(const struct dvm_event *ev, uint64_t addr, char *dst, size_t cap);
	uint64_t (*builtin)(const struct dvm_event *ev, int b);
	long (*string)(const struct dvm_event *ev, int b, char *dst, size_t cap);
	int (*act)(const struct dvm_event *ev, int f, uint64_t arg);
};

/* One firing, filled in by the engine; lives on its stack. */
struct dvm_event {
	const struct dvm_ops *ops;
	void *task;               /* the engine's own */
	uint64_t arg[DVM_MAXARGS];
	uint64_t timestamp;       /* CLOCK_MONOTONIC ns */
	int32_t pid, tid, zpid, ztid, ppid;
	int32_t error;            /* errno built-in */
	uint16_t cpu;
	uint16_t pad;
	const char *execname;     /* NUL-terminated, at most 15 bytes */
	const char *zonename;     /* NUL-terminated, "global" outside zones */
	const char *lxhow;        /* "pass", "emulate", "deny", or "" */
	uint32_t tgen;            /* tells a thread from earlier ones with its tid (start time, say); 0 if unknown */
};

/* Runs every clause enabled for probe (index into img->probes) in order. After a fault the rest of that clause is dropped,
 * an error record is written and the ERROR probe's clauses run. Never loops, allocates or blocks. */
void dvm_fire(struct dvm *m, void *scratch, uint32_t probe, const struct dvm_event *ev);

/* Session life, kept in the arena. WARMUP: only BEGIN fires. ACTIVE, set by the engine once BEGIN has fired: all. DRAINING and
 * STOPPED: only END (and ERROR for faults in it). exit() moves WARMUP or ACTIVE to DRAINING; no clause runs after its own. */
enum dvm_activity { DVM_WARMUP, DVM_ACTIVE, DVM_DRAINING /* exit() was called */, DVM_STOPPED };
enum dvm_activity dvm_activity(const struct dvm *m);
void dvm_set_activity(struct dvm *m, enum dvm_activity a);

/* ---- The consumer's side of the arena. A consumer opens its own mapping with dvm_open(). ---- */

enum dvm_rec_kind { DVM_REC_DATA = 1, DVM_REC_ERROR };

/* Record in the principal buffer: this header, then items. ERROR has none: fault, offset and addr say all. */
struct dvm_rec {
	uint32_t len;    /* bytes with header, multiple of 8 */
	uint16_t kind;   /* enum dvm_rec_kind */
	uint16_t cpu;
	uint32_t clause; /* index into img->clauses */
	uint32_t probe;  /* index into img->probes */
	uint32_t pid, tid;
	uint64_t time;   /* CLOCK_MONOTONIC ns */
	uint32_t fault, offset; /* ERROR: enum dvm_fault, instruction index in the clause */
	uint64_t addr;   /* ERROR */
};

enum dvm_item_kind { DVM_I_INT = 1, DVM_I_STR, DVM_I_BYTES, DVM_I_USTACK };

/* One value of a record or key: header, then len bytes, padded with zeroes to 8. INT: 8 bytes. STR: no NUL counted or stored
 * beyond the padding. */
struct dvm_item {
	uint32_t kind; /* enum dvm_item_kind */
	uint32_t len;  /* bytes of payload */
};

/* Copies the next record (header and items, checked: lengths add up, kinds and indices are known) into buf of cap bytes and
 * frees its place. Returns its length, 0 if there is none, -EPROTO if the buffer was spoilt (it is emptied then),
 * -ENOSPC if cap is too small (needed bytes in *need). Records come in the order of their commit. */
long dvm_buf_read(struct dvm *m, void *buf, size_t cap, size_t *need);
size_t dvm_buf_used(const struct dvm *m);
/* Policy fill: a record did not fit, so recording has ended. */
bool dvm_buf_full(const struct dvm *m);

/* Iterates over the items of a record or key block; NULL at the end. Checked. */
const struct dvm_item *dvm_item_next(const void *base, size_t len, size_t *pos);

/* The two aggregation tables: probes write to the active one. dvm_agg_flip() (holder only, between firings) empties the
 * inactive one, makes it active and returns the index of the one to be read now. */
unsigned dvm_agg_flip(struct dvm *m);

struct dvm_aggent {
	uint32_t agg;           /* index into img->aggs */
	uint32_t keylen;        /* bytes of items at key */
	const uint64_t *data;   /* img->aggs[agg].ndata words */
	const void *key;
};
/* Walks a table; *pos starts at 0. false at the end or where the rest is spoilt. Pointers are into the arena. */
bool dvm_agg_next(const struct dvm *m, unsigned table, uint64_t *pos, struct dvm_aggent *out);

struct dvm_drops { uint64_t principal, agg, dynvar, dblerror /* faults in ERROR clauses */; };
/* Drops since the last call (counted, never silent). */
void dvm_drops_take(struct dvm *m, struct dvm_drops *d);

const char *dvm_fault_text(unsigned fault); /* "invalid address", "divide-by-zero", ... as dtrace prints them */
/* One instruction as text, for dtrace -S and debugging; returns bytes written. */
int dvm_disasm(const struct dvm_image *img, uint32_t insn, char *buf, size_t cap);

#endif
