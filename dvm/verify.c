/* The verifier: what it accepts can be run without a further look at operands, targets or identifiers, and ends after a bounded
 * number of steps. It reads each part of the image once or a bounded number of times, and trusts none. */
#include "dvm/dvm_impl.h"

/* Bounds that keep one firing, and the verifier itself, short; far above what programs have. */
#define MAX_IMAGE   (256u << 20)
#define MAX_STEPS   (4u << 20)  /* instructions of all clauses; of all clauses of one probe */
#define MAX_RUNS    (4u << 20)  /* enablings of all probes */
#define MAX_BYREF   (1u << 20)
#define MAX_BUCKETS (1u << 20)

struct verify {
	const struct dvm_image *img;
	char *why;
	size_t whylen;
};

/* Writes "what N: reason". */
static int reject(struct verify *v, const char *what, uint64_t n, const char *reason)
{
	size_t pos = 0;

	base_puts(v->why, v->whylen, &pos, what);
	base_puts(v->why, v->whylen, &pos, " ");
	base_putu(v->why, v->whylen, &pos, n, 10);
	base_puts(v->why, v->whylen, &pos, ": ");
	base_puts(v->why, v->whylen, &pos, reason);
	return -EINVAL;
}

static int verify_sections(struct verify *v, size_t len)
{
	const struct dvm_image *img = v->img;
	const struct { const struct dvm_sect *s; uint32_t rec; } sect[] = {
		{ &img->insns, sizeof(struct dvm_insn) },     { &img->consts, sizeof(uint64_t) },
		{ &img->strtab, 1 },                          { &img->clauses, sizeof(struct dvm_clause) },
		{ &img->vars, sizeof(struct dvm_var) },       { &img->aggs, sizeof(struct dvm_agg) },
		{ &img->probes, sizeof(struct dvm_probe) },   { &img->enablings, sizeof(uint32_t) },
	};
	const char *str;

	if (img->magic != DVM_MAGIC)
		return reject(v, "magic", img->magic, "not a D program");
	if (img->version != DVM_VERSION)
		return reject(v, "version", img->version, "not known");
	if (img->size < sizeof(*img) || img->size > len || img->size > MAX_IMAGE)
		return reject(v, "size", img->size, "does not fit");
	if (img->local_size > MAX_BYREF * 256)
		return reject(v, "local_size", img->local_size, "too large");
	for (unsigned i = 0; i < sizeof(sect) / sizeof(sect[0]); i++) {
		uint32_t off = sect[i].s->off, count = sect[i].s->count;

		if ((off & 7) || off > img->size || (count && off < sizeof(*img)) ||
		    (uint64_t)count * sect[i].rec > img->size - off)
			return reject(v, "section", i, "out of bounds");
	}
	str = img_at(img, img->strtab.off);
	if (!img->strtab.count || str[0] || str[img->strtab.count - 1])
		return reject(v, "strtab", img->strtab.count, "must begin and end with NUL");
	return 0;
}

static bool str_ok(const struct verify *v, uint32_t off)
{
	return off < v->img->strtab.count;
}

static int verify_vars(struct verify *v)
{
	const struct dvm_var *var = img_at(v->img, v->img->vars.off);

	for (uint32_t i = 0; i < v->img->vars.count; i++, var++) {
		if (var->scope > DVM_LOCAL || var->kind > DVM_V_BYREF || var->assoc > 1 || !str_ok(v, var->name))
			return reject(v, "variable", i, "bad description");
		if (var->assoc && var->scope == DVM_LOCAL)
			return reject(v, "variable", i, "a local array with keys");
		if (var->kind == DVM_V_BYREF && (!var->size || var->size > MAX_BYREF))
			return reject(v, "variable", i, "bad size");
		if (var->scope != DVM_LOCAL)
			continue;
		/* That strings fit is seen when strsize is known: dvm_open(). */
		if ((var->local_off & 7) || var->local_off > v->img->local_size ||
		    (var->kind != DVM_V_STRING ? ROUND8(var->kind == DVM_V_INT ? 8u : var->size) : 1u) >
			    ROUND8((uint64_t)v->img->local_size) - var->local_off)
			return reject(v, "variable", i, "outside the local frame");
	}
	return 0;
}

/* Words of an aggregation's data; 0 if its parameters make no sense. */
static uint64_t agg_words(const struct dvm_agg *a)
{
	uint64_t low = 1, n = 2, nsteps = (uint32_t)a->nsteps;

	switch (a->func) {
	case DVM_AGG_COUNT: case DVM_AGG_SUM: case DVM_AGG_MIN: case DVM_AGG_MAX: return 1;
	case DVM_AGG_AVG: return 2;
	case DVM_AGG_STDDEV: return 4;
	case DVM_AGG_QUANTIZE: return DVM_QUANTIZE_NBUCKETS;
	case DVM_AGG_LQUANTIZE:
		if (a->step <= 0 || a->limit <= a->base)
			return 0;
		return 2 + ((uint64_t)((int64_t)a->limit - a->base) + (uint32_t)a->step - 1) / (uint32_t)a->step;
	case DVM_AGG_LLQUANTIZE:
		if (a->factor < 2 || a->low < 0 || a->high < a->low || a->high > 62 || a->nsteps < 1)
			return 0;
		for (int32_t k = 0; k <= a->high; k++) {
			uint64_t high = low * (uint32_t)a->factor, in = high < nsteps ? high : nsteps;

			if (low > INT64_MAX / (uint32_t)a->factor)
				return 0;
			if (k >= a->low)
				n += in - in / (uint32_t)a->factor;
			low = high;
		}
		return n;
	default: return 0;
	}
}

static int verify_aggs(struct verify *v)
{
	const struct dvm_agg *a = img_at(v->img, v->img->aggs.off);

	for (uint32_t i = 0; i < v->img->aggs.count; i++, a++) {
		uint64_t n = agg_words(a);

		if (!n || n > MAX_BUCKETS)
			return reject(v, "aggregation", i, "bad parameters");
		if (n != a->ndata)
			return reject(v, "aggregation", i, "wrong number of words");
		if (!str_ok(v, a->name))
			return reject(v, "aggregation", i, "bad name");
	}
	return 0;
}

static bool call_ok(const struct dvm_insn *i)
{
	unsigned min = 0, max = 0;

	if ((uint32_t)i->imm >= DVM_NFUNCS)
		return false;
	for (const char *p = dvm_func_info[i->imm].args; *p; p++, max++)
		min += *p != 'o';
	return i->rb >= min && i->rb <= max && i->ra + i->rb <= DVM_NREGS;
}

static bool var_ok(const struct dvm_image *img, const struct dvm_insn *i)
{
	const struct dvm_var *v = img_at(img, img->vars.off);
	bool assoc = i->op == DVM_LDA || i->op == DVM_STA || i->op == DVM_FREEA || i->op == DVM_LDAC;

	if ((uint32_t)i->imm >= img->vars.count || v[i->imm].assoc != assoc)
		return false;
	if (i->op == DVM_LDVC || i->op == DVM_LDAC)
		return v[i->imm].kind == DVM_V_BYREF;
	return i->op != DVM_FREEV || v[i->imm].scope == DVM_THREAD;
}

/* The immediate, by operation; left is the number of instructions that follow. NULL or the reason. */
static const char *imm_bad(const struct dvm_image *img, const struct dvm_insn *i, uint32_t left)
{
	uint32_t n = (uint32_t)i->imm;

	switch (i->op) {
	case DVM_LDC: return n < img->consts.count ? NULL : "no such constant";
	case DVM_LDSTR: return n < img->strtab.count ? NULL : "no such string";
	case DVM_SX:
	case DVM_ZX: return n == 8 || n == 16 || n == 32 ? NULL : "bad width";
	case DVM_JMP: case DVM_JZ: case DVM_JNZ: case DVM_JEQ: case DVM_JNE:
		return n < left ? NULL : "jump out of the clause";
	case DVM_LDV: case DVM_STV: case DVM_LDA: case DVM_STA: case DVM_FREEV: case DVM_FREEA: case DVM_LDVC: case DVM_LDAC:
		return var_ok(img, i) ? NULL : "no such variable";
	case DVM_TBYTES:
	case DVM_RBYTES: return n <= MAX_BYREF ? NULL : "bad size";
	case DVM_AGG: return n < img->aggs.count ? NULL : "no such aggregation";
	case DVM_BUILTIN: return n < DVM_NBUILTINS ? NULL : "no such built-in variable";
	case DVM_CALL: return call_ok(i) ? NULL : "no such call";
	default: return NULL;
	}
}

static int verify_clause(struct verify *v, const struct dvm_clause *c)
{
	const struct dvm_insn *i = (const struct dvm_insn *)img_at(v->img, v->img->insns.off) + c->insn;

	for (uint32_t k = 0; k < c->ninsn; k++, i++) {
		const char *bad;

		if (i->op >= DVM_NOPS)
			return reject(v, "instruction", c->insn + k, "no such operation");
		for (const char *o = dvm_op_info[i->op].operands; *o; o++)
			if ((*o == 'd' && i->rd >= DVM_NREGS) || (*o == 'a' && i->ra >= DVM_NREGS) ||
			    (*o == 'b' && i->rb >= DVM_NREGS))
				return reject(v, "instruction", c->insn + k, "no such register");
		bad = imm_bad(v->img, i, c->ninsn - k - 1);
		if (bad)
			return reject(v, "instruction", c->insn + k, bad);
	}
	if (i[-1].op != DVM_RET && i[-1].op != DVM_DROP)
		return reject(v, "instruction", c->insn + c->ninsn - 1, "the clause does not end here");
	return 0;
}

static int verify_clauses(struct verify *v)
{
	const struct dvm_clause *c = img_at(v->img, v->img->clauses.off);
	uint64_t steps = 0;
	int r;

	for (uint32_t i = 0; i < v->img->clauses.count; i++, c++) {
		if (!c->ninsn || c->insn > v->img->insns.count || c->ninsn > v->img->insns.count - c->insn)
			return reject(v, "clause", i, "code out of bounds");
		if ((c->flags & ~DVM_CL_RECORD) || !str_ok(v, c->name))
			return reject(v, "clause", i, "bad description");
		steps += c->ninsn;
		if (steps > MAX_STEPS)
			return reject(v, "clause", i, "too much code");
		r = verify_clause(v, c);
		if (r)
			return r;
	}
	return 0;
}

static int verify_probes(struct verify *v)
{
	const struct dvm_probe *p = img_at(v->img, v->img->probes.off);
	const struct dvm_clause *clauses = img_at(v->img, v->img->clauses.off);
	const uint32_t *en = img_at(v->img, v->img->enablings.off);
	uint32_t nen = v->img->enablings.count;
	uint64_t runs = 0;

	for (uint32_t i = 0; i < nen; i++)
		if (en[i] >= v->img->clauses.count)
			return reject(v, "enabling", i, "no such clause");
	for (uint32_t i = 0; i < v->img->probes.count; i++, p++) {
		uint64_t steps = 0;

		if (p->kind > DVM_P_SYSCALL_RETURN)
			return reject(v, "probe", i, "no such kind");
		if ((p->kind == DVM_P_TICK || p->kind == DVM_P_PROFILE) && !p->period_ns)
			return reject(v, "probe", i, "no period");
		if (!str_ok(v, p->prov) || !str_ok(v, p->mod) || !str_ok(v, p->func) || !str_ok(v, p->name))
			return reject(v, "probe", i, "bad name");
		if (p->enabling > nen || p->nenabling > nen - p->enabling)
			return reject(v, "probe", i, "no such enabling");
		runs += p->nenabling;
		if (runs > MAX_RUNS)
			return reject(v, "probe", i, "too many enablings");
		for (uint32_t k = 0; k < p->nenabling; k++)
			steps += clauses[en[p->enabling + k]].ninsn;
		if (steps > MAX_STEPS)
			return reject(v, "probe", i, "too much code");
	}
	return 0;
}

int dvm_verify(const void *image, size_t len, char *why, size_t whylen)
{
	struct verify v = { image, why, whylen };
	int r;

	if (whylen)
		why[0] = 0;
	if (((uintptr_t)image & 7) || len < sizeof(struct dvm_image))
		return reject(&v, "size", len, "too short or not aligned");
	r = verify_sections(&v, len);
	if (!r)
		r = verify_vars(&v);
	if (!r)
		r = verify_aggs(&v);
	if (!r)
		r = verify_clauses(&v);
	if (!r)
		r = verify_probes(&v);
	return r;
}
