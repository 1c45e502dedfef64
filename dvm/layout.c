/* Where everything lies in an arena, and how much private memory a firing needs: computed from the verified image and the
 * options alone, so that every process gets the same answer without trusting another one. */
#include "dvm/dvm_impl.h"
#include "dvm/vars_impl.h"

#define MAX_STRSIZE (16u << 20)

uint32_t dvm_var_size(const struct dvm_var *v, const struct dvm_opts *o)
{
	if (v->kind == DVM_V_INT)
		return 8;
	return ROUND8(v->kind == DVM_V_STRING ? o->strsize : v->size);
}

/* What the code can need at most, bytes. */
struct need {
	uint64_t tuple;   /* longest run of tuple items between two TRST, in the order of the code */
	uint64_t record;
	uint64_t strings; /* of one clause */
	uint64_t chunk;   /* dynamic variable: header, key, value */
	uint64_t end;     /* records of END's clauses */
	uint64_t exit;    /* longest record with an exit status */
	uint32_t zeros;   /* largest dynamic BYREF variable */
	uint32_t nregs;
	bool dynamic;
};

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint32_t regs_need(const struct dvm_insn *i, uint32_t n)
{
	for (const char *o = dvm_op_info[i->op].operands; *o; o++) {
		uint32_t r = *o == 'd' ? i->rd + 1u : *o == 'a' ? i->ra + 1u : *o == 'b' ? i->rb + 1u : 0;

		if (i->op == DVM_CALL && *o == 'b')
			r = (uint32_t)i->ra + i->rb;
		n = r > n ? r : n;
	}
	return n;
}

static uint64_t clause_need(const struct dvm_image *img, const struct dvm_clause *c, const struct dvm_opts *o, struct need *n)
{
	const struct dvm_insn *i = (const struct dvm_insn *)img_at(img, img->insns.off) + c->insn;
	const struct dvm_var *vars = img_at(img, img->vars.off);
	uint64_t str = sizeof(struct dvm_item) + ROUND8(o->strsize), tuple = 0, strings = 0;
	uint64_t rec = sizeof(struct dvm_rec);
	bool exits = false;

	for (uint32_t k = 0; k < c->ninsn; k++, i++) {
		n->nregs = regs_need(i, n->nregs);
		switch (i->op) {
		case DVM_TRST: tuple = 0; break;
		case DVM_TINT: tuple += 16; break;
		case DVM_TSTR: tuple += str; break;
		case DVM_TBYTES: tuple += sizeof(struct dvm_item) + ROUND8((uint32_t)i->imm); break;
		case DVM_EXIT: exits = true; rec += 16; break;
		case DVM_RINT: rec += 16; break;
		case DVM_RSTR: rec += str; break;
		case DVM_RBYTES: rec += sizeof(struct dvm_item) + ROUND8((uint32_t)i->imm); break;
		case DVM_STA: case DVM_LDAC:
			n->chunk = max64(n->chunk, DYN_HDR + tuple + dvm_var_size(&vars[i->imm], o));
			break;
		case DVM_CALL:
			if (dvm_func_info[i->imm].result == 's')
				strings += str;
			break;
		case DVM_BUILTIN:
			if (dvm_builtin_type[i->imm] == 's')
				strings += str;
			break;
		default: break;
		}
		n->tuple = max64(n->tuple, tuple);
	}
	n->record = max64(n->record, rec);
	if (exits)
		n->exit = max64(n->exit, RING_FRAME + rec);
	n->strings = max64(n->strings, strings);
	return rec;
}

static int image_need(const struct dvm_image *img, const struct dvm_opts *o, struct need *n)
{
	const struct dvm_clause *clauses = img_at(img, img->clauses.off);
	const struct dvm_var *v = img_at(img, img->vars.off);
	const struct dvm_probe *p = img_at(img, img->probes.off);
	const uint32_t *en = img_at(img, img->enablings.off);

	for (uint32_t i = 0; i < img->clauses.count; i++)
		clause_need(img, &clauses[i], o, n);
	for (uint32_t i = 0; i < img->vars.count; i++, v++) {
		uint32_t size = dvm_var_size(v, o);

		if (v->scope == DVM_LOCAL && (uint64_t)v->local_off + size > ROUND8((uint64_t)img->local_size))
			return -EINVAL; /* compiled for a smaller strsize */
		if (v->scope == DVM_THREAD && !v->assoc)
			n->chunk = max64(n->chunk, DYN_HDR + size);
		if (v->scope == DVM_THREAD || v->assoc) {
			n->dynamic = true;
			if (v->kind == DVM_V_BYREF && size > n->zeros)
				n->zeros = size;
		}
	}
	for (uint32_t i = 0; i < img->probes.count; i++, p++)
		for (uint32_t k = 0; p->kind == DVM_P_END && k < p->nenabling; k++)
			n->end += RING_FRAME + clause_need(img, &clauses[en[p->enabling + k]], o, n);
	return 0;
}

static uint32_t pow2(uint64_t n, uint32_t min)
{
	uint32_t p = min;

	while (p < n && p < 1u << 31)
		p <<= 1;
	return p;
}

/* Takes size bytes, from a multiple of 64. */
static uint32_t take(uint64_t *at, uint64_t size)
{
	uint64_t here = *at;

	*at = (here + size + 63) & ~63ull;
	return (uint32_t)here;
}

int dvm_layout(const struct dvm_image *img, const struct dvm_opts *o, struct dvm_layout *l)
{
	const struct dvm_var *v = img_at(img, img->vars.off);
	const struct dvm_probe *p = img_at(img, img->probes.off);
	struct need n = { .nregs = 1 };
	uint64_t at = ARENA_HDR_SIZE, globals = 0, data;

	base_memset(l, 0, sizeof(*l));
	if (o->strsize < 1 || o->strsize > MAX_STRSIZE || o->bufsize > 1u << 30 || o->bufpolicy > DVM_BUF_RING)
		return -EINVAL;
	if (image_need(img, o, &n))
		return -EINVAL;

	for (uint32_t i = 0; i < img->vars.count; i++)
		if (v[i].scope == DVM_GLOBAL && !v[i].assoc)
			globals += dvm_var_size(&v[i], o);
	l->gtab = take(&at, (uint64_t)img->vars.count * sizeof(uint32_t));
	l->globals_size = globals > UINT32_MAX ? UINT32_MAX : (uint32_t)globals;
	l->globals = take(&at, globals);

	n.chunk = max64(n.chunk, DYN_HDR + 8);
	l->chunk = n.chunk > 1u << 30 ? 1u << 30 : (uint32_t)n.chunk;
	l->nchunks = n.dynamic ? o->dynvarsize / l->chunk : 0;
	l->nbuckets = pow2(((uint64_t)l->nchunks * 3 / 2 + DYN_WAYS - 1) / DYN_WAYS, 2);
	l->slots = take(&at, (uint64_t)l->nbuckets * DYN_WAYS * 8);
	l->bitmap = take(&at, ((uint64_t)l->nchunks + 63) / 64 * 8);
	l->chunks = take(&at, (uint64_t)l->nchunks * l->chunk);

	data = img->aggs.count ? ((uint64_t)o->aggsize + 7) & ~7ull : 0;
	l->agg_slots = pow2(data / 32, 16);
	l->agg_data = data > UINT32_MAX ? UINT32_MAX : (uint32_t)data;
	for (int i = 0; i < 2; i++)
		l->agg[i] = take(&at, (uint64_t)l->agg_slots * 8 + data);

	l->buf_size = pow2(o->bufsize, 64);
	l->buf = take(&at, l->buf_size);
	n.end += n.exit;
	l->buf_reserve = n.end < l->buf_size / 2 ? (uint32_t)n.end : l->buf_size / 2;
	if (at > UINT32_MAX)
		return -EINVAL;
	l->arena_size = (uint32_t)((at + 4095) & ~4095ull);

	/* A record longer than the buffer can't be delivered: it need not be held either. */
	l->record = n.record < l->buf_size ? (uint32_t)n.record : l->buf_size;
	l->tuple = n.tuple > UINT32_MAX ? UINT32_MAX : (uint32_t)n.tuple;
	l->zeros = n.zeros;
	l->strings = n.strings < 256u << 20 ? (uint32_t)n.strings : 256u << 20;
	at = 64; /* slack to align the caller's pointer */
	take(&at, sizeof(struct mach));
	take(&at, ROUND8((uint64_t)img->local_size));
	take(&at, ROUND8((uint64_t)img->local_size));
	take(&at, ROUND8((uint64_t)o->strsize));
	take(&at, n.tuple);
	take(&at, l->record);
	take(&at, l->strings);
	take(&at, n.zeros);
	take(&at, ROUND8((uint64_t)o->scratchsize));
	if (at > 1u << 30)
		return -EINVAL;
	l->scratch_size = (uint32_t)at;

	l->nregs = n.nregs;
	l->error_probe = UINT32_MAX;
	for (uint32_t i = 0; i < img->probes.count; i++)
		if (p[i].kind == DVM_P_ERROR) {
			l->error_probe = i;
			break;
		}
	return 0;
}
