/* A small assembler for D program images: what the machine's tests, fuzzer and benchmark write programs with. */
#ifndef TESTS_DVM_ASM_H
#define TESTS_DVM_ASM_H

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dvm/dvm.h"

struct dasm {
	struct dvm_insn insn[8192];
	uint64_t constant[512];
	char str[65536];
	struct dvm_clause clause[256];
	struct dvm_var var[256];
	struct dvm_agg agg[64];
	struct dvm_probe probe[64];
	uint32_t enabling[1024];
	uint32_t ninsn, nconst, nstr, nclause, nvar, nagg, nprobe, nenabling, local_size;
};

static inline struct dasm *da_new(void)
{
	struct dasm *a = calloc(1, sizeof(*a));

	assert(a);
	a->nstr = 1;
	return a;
}

static inline uint32_t da_str(struct dasm *a, const char *s)
{
	uint32_t at = a->nstr;

	if (!*s)
		return 0;
	assert(at + strlen(s) + 1 <= sizeof(a->str));
	strcpy(a->str + at, s);
	a->nstr += (uint32_t)strlen(s) + 1;
	return at;
}

static inline uint32_t da_op(struct dasm *a, unsigned op, unsigned rd, unsigned ra, unsigned rb, int64_t imm)
{
	assert(a->ninsn < 8192);
	a->insn[a->ninsn] = (struct dvm_insn){ (uint8_t)op, (uint8_t)rd, (uint8_t)ra, (uint8_t)rb, (int32_t)imm };
	return a->ninsn++;
}

/* rd = v, whatever its size. */
static inline void da_li(struct dasm *a, unsigned rd, uint64_t v)
{
	if ((uint64_t)(int64_t)(int32_t)v == v) {
		da_op(a, DVM_LDI, rd, 0, 0, (int32_t)v);
		return;
	}
	a->constant[a->nconst] = v;
	da_op(a, DVM_LDC, rd, 0, 0, a->nconst++);
}

static inline void da_ls(struct dasm *a, unsigned rd, const char *s)
{
	da_op(a, DVM_LDSTR, rd, 0, 0, da_str(a, s));
}

/* Lets the jump at index j go to the next instruction to come. */
static inline void da_here(struct dasm *a, uint32_t j)
{
	a->insn[j].imm = (int32_t)(a->ninsn - j - 1);
}

static inline uint32_t da_begin(struct dasm *a, uint32_t flags)
{
	a->clause[a->nclause] = (struct dvm_clause){ .insn = a->ninsn, .flags = flags, .name = da_str(a, "dt_clause") };
	return a->nclause++;
}

/* Ends the clause with RET. */
static inline void da_end(struct dasm *a)
{
	da_op(a, DVM_RET, 0, 0, 0, 0);
	a->clause[a->nclause - 1].ninsn = a->ninsn - a->clause[a->nclause - 1].insn;
}

static inline uint32_t da_var(struct dasm *a, unsigned scope, unsigned kind, bool assoc, uint32_t size)
{
	a->var[a->nvar] = (struct dvm_var){ .scope = (uint8_t)scope, .kind = (uint8_t)kind, .assoc = assoc, .size = size };
	if (scope == DVM_LOCAL) {
		a->var[a->nvar].local_off = a->local_size;
		a->local_size += (size + 7) & ~7u;
	}
	return a->nvar++;
}

static inline uint32_t da_agg(struct dasm *a, unsigned func, uint32_t ndata)
{
	a->agg[a->nagg] = (struct dvm_agg){ .func = func, .ndata = ndata };
	return a->nagg++;
}

/* A probe with n clauses. */
static inline uint32_t da_probe(struct dasm *a, unsigned kind, unsigned n, ...)
{
	va_list ap;

	a->probe[a->nprobe] = (struct dvm_probe){
		.id = 100 + a->nprobe, .kind = (uint8_t)kind, .period_ns = 1, .prov = da_str(a, "prov"), .mod = da_str(a, "mod"),
		.func = da_str(a, "func"), .name = da_str(a, "entry"), .enabling = a->nenabling, .nenabling = n,
	};
	va_start(ap, n);
	while (n--)
		a->enabling[a->nenabling++] = va_arg(ap, unsigned);
	va_end(ap);
	return a->nprobe++;
}

static inline struct dvm_sect da_sect(uint8_t *base, uint32_t *at, const void *p, size_t count, size_t rec)
{
	struct dvm_sect s = { *at, (uint32_t)count };

	memcpy(base + *at, p, count * rec);
	*at = (uint32_t)((*at + count * rec + 7) & ~(size_t)7);
	return s;
}

/* The image, malloc'ed; *len its bytes. */
static inline struct dvm_image *da_image(const struct dasm *a, size_t *len)
{
	uint8_t *b = calloc(1, sizeof(*a) + 4096);
	struct dvm_image *img = (struct dvm_image *)b;
	uint32_t at = (sizeof(*img) + 7) & ~7u;

	assert(b);
	img->magic = DVM_MAGIC;
	img->version = DVM_VERSION;
	img->local_size = a->local_size;
	img->insns = da_sect(b, &at, a->insn, a->ninsn, sizeof(a->insn[0]));
	img->consts = da_sect(b, &at, a->constant, a->nconst, sizeof(a->constant[0]));
	img->strtab = da_sect(b, &at, a->str, a->nstr, 1);
	img->clauses = da_sect(b, &at, a->clause, a->nclause, sizeof(a->clause[0]));
	img->vars = da_sect(b, &at, a->var, a->nvar, sizeof(a->var[0]));
	img->aggs = da_sect(b, &at, a->agg, a->nagg, sizeof(a->agg[0]));
	img->probes = da_sect(b, &at, a->probe, a->nprobe, sizeof(a->probe[0]));
	img->enablings = da_sect(b, &at, a->enabling, a->nenabling, sizeof(a->enabling[0]));
	img->size = at;
	if (len)
		*len = at;
	return img;
}

/* ---- A machine around an image ---- */

struct drun {
	struct dvm m;
	struct dvm_image *img;
	void *arena, *scratch;
	struct dvm_event ev;
	uint64_t rec[16384]; /* last record read */
};

static inline void *da_mem(size_t n)
{
	void *p = aligned_alloc(64, (n + 63) & ~(size_t)63);

	assert(p);
	memset(p, 0, n);
	return p;
}

/* Verifies, opens, activates. Takes the assembler. */
static inline struct drun *da_run(struct dasm *a, const struct dvm_opts *o)
{
	struct drun *r = da_mem(sizeof(*r));
	struct dvm_opts def;
	char why[256];
	size_t len, size;
	int bad;

	dvm_opts_default(&def);
	if (!o)
		o = &def;
	r->img = da_image(a, &len);
	free(a);
	bad = dvm_verify(r->img, len, why, sizeof(why));
	if (bad)
		fprintf(stderr, "verify: %s\n", why);
	assert(!bad);
	size = dvm_arena_size(r->img, o);
	assert(size);
	r->arena = da_mem(size);
	bad = dvm_arena_init(r->arena, size, r->img, o);
	assert(!bad);
	bad = dvm_open(&r->m, r->img, o, r->arena, size);
	assert(!bad);
	r->scratch = calloc(1, dvm_scratch_size(r->img, o));
	assert(r->scratch);
	dvm_set_activity(&r->m, DVM_ACTIVE);
	r->ev = (struct dvm_event){ .timestamp = 1000, .pid = 10, .tid = 11, .execname = "prog", .zonename = "global", .lxhow = "pass" };
	return r;
}

static inline void da_free(struct drun *r)
{
	free(r->img);
	free(r->arena);
	free(r->scratch);
	free(r);
}

static inline void da_fire(struct drun *r, uint32_t probe)
{
	dvm_fire(&r->m, r->scratch, probe, &r->ev);
}

/* The next record, or NULL. */
static inline const struct dvm_rec *da_rec(struct drun *r)
{
	return dvm_buf_read(&r->m, r->rec, sizeof(r->rec), NULL) > 0 ? (const struct dvm_rec *)r->rec : NULL;
}

/* Item n of a record, or NULL. */
static inline const struct dvm_item *da_item(const struct dvm_rec *rec, unsigned n)
{
	size_t pos = sizeof(*rec);
	const struct dvm_item *i;

	do
		i = dvm_item_next(rec, rec->len, &pos);
	while (i && n--);
	return i;
}

#endif
