/* What the machine's files share: the arena's header, the state of one firing, machine addresses. */
#ifndef DVM_IMPL_H
#define DVM_IMPL_H

#include "common/base/str.h"
#include "dvm/dvm.h"

enum { EINVAL = 22, ENOSPC = 28, EPROTO = 71 }; /* Linux's, on x86 and most others; libc's header is not to be had here */

#define ROUND8(n) (((n) + 7u) & ~7u)

/* 64-bit words in shared memory are aligned to 8 in both ABIs. */
typedef uint64_t shared_u64 __attribute__((aligned(8)));

enum { DROP_PRINCIPAL, DROP_AGG, DROP_DYNVAR, DROP_DBLERROR, NDROPS };

#define ARENA_MAGIC 0x4152564cu

/* First bytes of the arena. Everything in it may have been scribbled over by a guest. */
struct arena_hdr {
	uint32_t magic;
	uint32_t layout;      /* hash of everything that its users must agree upon */
	uint32_t activity;    /* enum dvm_activity */
	uint32_t agg_active;  /* table that probes write to */
	uint32_t buf_full;    /* fill policy: recording has ended */
	uint32_t dyn_cursor;  /* bitmap word where the search for a free chunk starts */
	shared_u64 rand;
	shared_u64 drops[NDROPS];
	struct {
		uint32_t gen; /* a slot of another generation is empty; 1..0xffff */
		uint32_t pad;
		shared_u64 used; /* bytes of entries */
	} agg[2] __attribute__((aligned(64)));
	shared_u64 head __attribute__((aligned(64))); /* principal ring: bytes ever reserved */
	shared_u64 tail __attribute__((aligned(64))); /* bytes ever freed */
};

#define ARENA_HDR_SIZE 4096u
_Static_assert(sizeof(struct arena_hdr) <= ARENA_HDR_SIZE, "arena header");
/* Programs of both ABIs share arenas: what lies in them looks the same to both. */
_Static_assert(offsetof(struct arena_hdr, agg[1].used) == 88 && offsetof(struct arena_hdr, tail) == 192 &&
	       sizeof(struct dvm_rec) == 48 && sizeof(struct dvm_item) == 8 && sizeof(struct dvm_image) == 80 &&
	       sizeof(struct dvm_probe) == 40 && sizeof(struct dvm_agg) == 40, "shared structures");

/* Machine addresses: 0xd7, region, 48 bits of offset. No guest address looks like that: these bits are not canonical. */
#define ADDR_TAG 0xd700u
#define ADDR(region, off) ((uint64_t)(ADDR_TAG | (region)) << 48 | (uint64_t)(off))

enum region {
	RG_STRTAB, RG_SCRATCH, RG_TSTR /* strings made by functions */, RG_LOCAL, RG_GLOBAL, RG_DYN,
	RG_ZERO /* what by-reference variables that are not there consist of */,
	RG_EXECNAME, RG_ZONENAME, RG_LXHOW, NREGIONS
};

#define EMPTY_STR ADDR(RG_STRTAB, 0)

struct mem_region {
	uint8_t *base;
	uint32_t size; /* of SCRATCH and TSTR: what has been allocated */
	uint32_t writable;
};

/* One firing's state, at the start of the caller's scratch memory; the areas that it points to follow. */
struct mach {
	struct mem_region rg[NREGIONS];
	struct dvm *m;
	const struct dvm_image *img;
	const struct dvm_insn *insns;
	const uint64_t *consts;
	const struct dvm_var *vars;
	const struct dvm_agg *aggs;
	const struct dvm_event *ev;
	struct arena_hdr *hdr;
	uint32_t probe, clause, enabling;
	uint32_t kind;         /* enum dvm_probe_kind of the probe that runs */
	bool faulted;
	uint32_t fault;        /* enum dvm_fault */
	uint64_t fault_addr;
	uint8_t *tup, *rec;
	uint32_t tup_len, tup_n;
	uint64_t tup_hash;     /* of the tuple, once tup_hashed */
	bool tup_hashed;
	bool rec_over;         /* the record outgrew its memory: it will be dropped */
	bool exits;            /* exit() was called in this clause */
	uint32_t rec_len, nitems;
	char *tok;             /* strtok()'s string, */
	uint32_t tok_len, tok_pos;
	uint8_t *locals, *error_locals;
	uint64_t r[DVM_NREGS];
};

static inline bool mach_fault(struct mach *s, enum dvm_fault f, uint64_t addr)
{
	if (!s->faulted) {
		s->faulted = true;
		s->fault = f;
		s->fault_addr = addr;
	}
	return false;
}

static inline void *img_at(const struct dvm_image *img, uint32_t off)
{
	return (uint8_t *)img + off;
}

static inline struct arena_hdr *dvm_hdr(const struct dvm *m)
{
	return (struct arena_hdr *)m->arena;
}

static inline void dvm_drop(struct arena_hdr *h, int which)
{
	__atomic_fetch_add(&h->drops[which], 1, __ATOMIC_RELAXED);
}

/* One step of the hash that all tables use; the same on both ABIs, since they share arenas. */
static inline uint64_t hash_step(uint64_t h, uint64_t w)
{
	h = (h ^ w) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

static inline uint64_t hash_end(uint64_t h)
{
	h *= 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

uint64_t dvm_hash(uint64_t seed, const void *p, uint32_t len); /* len: a multiple of 8 */

/* mem.c: n bytes at a machine address, NULL and a fault if they are not all there. */
void *mem_at(struct mach *s, uint64_t addr, uint64_t n, bool write);
/* The string at a machine address: up to its NUL, strsize - 1 bytes or the end of its region. NULL and a fault if none. */
const char *mem_str(struct mach *s, uint64_t addr, uint32_t *len);
/* As mem_str(), with NULL (address 0) as an empty string. */
const char *mem_str0(struct mach *s, uint64_t addr, uint32_t *len);
/* n bytes of scratch, zeroed past their end to the next multiple of 8; 0 and NOSCRATCH. */
uint64_t mem_alloc(struct mach *s, uint64_t n, void **p);
/* Room for a new string of up to n bytes and its NUL; mem_str_done() gives its address once n is known. */
char *mem_str_room(struct mach *s, uint32_t n);
uint64_t mem_str_done(struct mach *s, uint32_t n);
uint64_t mem_str_new(struct mach *s, const char *p, uint32_t n);

/* layout.c */
int dvm_layout(const struct dvm_image *img, const struct dvm_opts *o, struct dvm_layout *l);
uint32_t dvm_var_size(const struct dvm_var *v, const struct dvm_opts *o);

/* vars.c: all return false after a fault. */
bool var_load(struct mach *s, uint32_t id, uint64_t *v);
/* Address of a BYREF variable that will be changed: made if it is missing. */
bool var_place(struct mach *s, uint32_t id, bool assoc, uint64_t *v);
bool var_store(struct mach *s, uint32_t id, uint64_t v);
bool var_load_assoc(struct mach *s, uint32_t id, uint64_t *v);
bool var_store_assoc(struct mach *s, uint32_t id, uint64_t v);
void var_free(struct mach *s, uint32_t id);
void var_free_assoc(struct mach *s, uint32_t id);

/* agg.c */
void agg_take(struct mach *s, uint32_t id, uint64_t v, uint64_t incr);
/* aggbucket.c: which bucket of a quantizing aggregation a value goes to; below ndata. */
uint32_t agg_bucket(const struct dvm_agg *a, int64_t v);

/* buf.c: puts one finished record (dvm_rec with items) into the ring, or counts a drop. */
void buf_put(struct mach *s, const struct dvm_rec *r);
#define RING_FRAME 8u
#define RING_BUSY  1u
static inline uint32_t ring_seq(uint64_t pos)
{
	return (uint32_t)(pos >> 3) ^ 0x5bd1e995u;
}

/* builtin.c, func.c, strfunc.c, pathfunc.c */
uint64_t builtin_value(struct mach *s, uint32_t b, uint64_t index);
uint64_t func_call(struct mach *s, uint32_t f, const uint64_t *a, unsigned n);
uint64_t strfunc_call(struct mach *s, uint32_t f, const uint64_t *a, unsigned n);
uint64_t pathfunc_call(struct mach *s, uint32_t f, const uint64_t *a);

/* Names and operands of operations and functions (disasm.c, verify.c). */
struct op_info { const char *name, *operands; };
extern const struct op_info dvm_op_info[DVM_NOPS];
struct func_info { const char *name, *args; char result; };
extern const struct func_info dvm_func_info[DVM_NFUNCS];
extern const char *const dvm_builtin_name[DVM_NBUILTINS];
extern const char dvm_builtin_type[DVM_NBUILTINS];

#endif
