/* Checking of aggregations: one function, one set of parameters and one signature for all uses of a name. */
#include "dtrace/dt_impl.h"

#include <string.h>

static struct dvm_agg *dvm_agg(struct dt_cc *c, struct dt_ident *id)
{
	return (struct dvm_agg *)c->p->dvmaggs.v + id->id;
}

static struct dt_ident *agg_new(struct dt_cc *c, const char *name, uint32_t line)
{
	const char *shown = strcmp(name, "_") ? name : "";
	struct dt_ident *id = dt_ident_new(c, &c->p->aggs, name, DT_ID_AGG, line);
	uint32_t str = dt_strtab(c, shown, strlen(shown));
	struct dt_aggmeta *m = dt_push(c, &c->p->aggmeta, sizeof(*m), 1);
	struct dvm_agg *a = dt_push(c, &c->p->dvmaggs, sizeof(*a), 1);

	id->id = c->p->dvmaggs.n - 1;
	id->type = c->p->t_dyn;
	a->name = str;
	m->name = dt_strndup(c, shown, strlen(shown));
	m->normal = 1;
	return id;
}

static const char *func_name(int func)
{
	static const char *const names[] = { "count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize", "llquantize" };

	return names[func];
}

static int64_t int_arg(struct dt_cc *c, struct dt_node *call, struct dt_node *n, int i,
		       enum dt_errtag tag)
{
	if (n->kind != DT_N_INT)
		dt_fail(c, call->line, tag, "%s( ) argument #%d must be an integer constant",
			call->id->name, i);
	return (int64_t)n->val;
}

/* The parameters must be those of the aggregation's first use. */
static void same_param(struct dt_cc *c, struct dt_node *call, struct dt_ident *id, int32_t old,
		       int64_t now, const char *what, enum dt_errtag tag)
{
	if (old != now)
		dt_fail(c, call->line, tag,
			"%s( ) %s (%lld) doesn't match previous declaration (line %u: %s = %d)",
			call->id->name, what, (long long)now, id->line, what, old);
}

static void check_lquantize(struct dt_cc *c, struct dt_node *call, struct dt_ident *id, bool first)
{
	struct dt_node *a1 = call->list->next, *a2 = a1->next, *a3 = a2->next;
	int64_t base, limit, step = 1, n;
	struct dvm_agg *a = dvm_agg(c, id);

	base = int_arg(c, call, a1, 1, D_LQUANT_BASETYPE);
	if (base < INT32_MIN || base > INT32_MAX)
		dt_fail(c, call->line, D_LQUANT_BASEVAL,
			"lquantize( ) argument #1 must be a 32-bit quantity");
	limit = int_arg(c, call, a2, 2, D_LQUANT_LIMTYPE);
	if (limit < INT32_MIN || limit > INT32_MAX)
		dt_fail(c, call->line, D_LQUANT_LIMVAL,
			"lquantize( ) argument #2 must be a 32-bit quantity");
	if (limit < base)
		dt_fail(c, call->line, D_LQUANT_MISMATCH,
			"lquantize( ) base (argument #1) must be less than limit (argument #2)");
	if (a3) {
		if (a3->kind != DT_N_INT || (int64_t)a3->val <= 0)
			dt_fail(c, call->line, D_LQUANT_STEPTYPE,
				"lquantize( ) argument #3 must be a non-zero positive integer "
				"constant");
		step = (int64_t)a3->val;
		if (step > UINT16_MAX)
			dt_fail(c, call->line, D_LQUANT_STEPVAL,
				"lquantize( ) argument #3 must be a 16-bit quantity");
	}
	n = (limit - base) / step;
	if (!n)
		dt_fail(c, call->line, D_LQUANT_STEPLARGE,
			"lquantize( ) step (argument #3) too large: must have at least one "
			"quantization "
			"level");
	if (n > UINT16_MAX)
		dt_fail(c, call->line, D_LQUANT_STEPSMALL,
			"lquantize( ) step (argument #3) too small: number of quantization levels "
			"must be "
			"a 16-bit quantity");
	if (first) {
		a->base = (int32_t)base;
		a->limit = (int32_t)limit;
		a->step = (int32_t)step;
		a->ndata = (uint32_t)(2 + (limit - base + step - 1) / step);
		return;
	}
	same_param(c, call, id, a->base, base, "base", D_LQUANT_MATCHBASE);
	same_param(c, call, id, a->limit, limit, "limit", D_LQUANT_MATCHLIM);
	same_param(c, call, id, a->step, step, "step", D_LQUANT_MATCHSTEP);
}

static int64_t small_arg(struct dt_cc *c, struct dt_node *call, struct dt_node *n, int i,
			 enum dt_errtag type, enum dt_errtag val)
{
	int64_t v = int_arg(c, call, n, i, type);

	if (v < 0 || v > UINT16_MAX)
		dt_fail(c, call->line, val,
			"llquantize( ) argument #%d must be an unsigned 16-bit quantity", i);
	return v;
}

/* The steps divide each order of magnitude evenly: a power of the factor is a multiple of their number, or one of them. */
static void check_llsteps(struct dt_cc *c, struct dt_node *call, int64_t factor, int64_t steps)
{
	int64_t v;

	if (steps < factor)
		dt_fail(c, call->line, D_LLQUANT_STEPSMALL,
			"llquantize( ) factor (argument #1) must be less than or equal to the "
			"number of "
			"linear steps per magnitude (argument #4)");
	for (v = factor; v < steps; v *= factor)
		;
	if (steps % factor || v % steps)
		dt_fail(c, call->line, D_LLQUANT_FACTOREVEN,
			"llquantize( ) linear steps per magnitude (argument #4) must evenly divide "
			"a power "
			"of the factor (argument #1) and be a multiple of it");
}

static void check_llquantize(struct dt_cc *c, struct dt_node *call, struct dt_ident *id, bool first)
{
	struct dt_node *l = call->list->next;
	struct dvm_agg *a = dvm_agg(c, id);
	int64_t factor, low, high, steps, v, i, n = 0;

	factor = small_arg(c, call, l, 1, D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL);
	if (factor < 2)
		dt_fail(c, call->line, D_LLQUANT_FACTORSMALL,
			"llquantize( ) factor (argument #1) must be two or more");
	low = small_arg(c, call, l = l->next, 2, D_LLQUANT_LMAGTYPE, D_LLQUANT_LMAGVAL);
	high = small_arg(c, call, l = l->next, 3, D_LLQUANT_HMAGTYPE, D_LLQUANT_HMAGVAL);
	if (high < low)
		dt_fail(c, call->line, D_LLQUANT_MAGRANGE,
			"llquantize( ) high magnitude (argument #3) must be at least low magnitude "
			"(argument #2)");
	for (v = 1, i = 0; i <= high; i++)
		if (__builtin_mul_overflow(v, factor, &v))
			dt_fail(c, call->line, D_LLQUANT_HMAGLARGE,
				"llquantize( ) high magnitude (%lld) raised to the power of factor "
				"(%lld) "
				"overflows a signed 64-bit quantity",
				(long long)high, (long long)factor);
	steps = small_arg(c, call, l->next, 4, D_LLQUANT_STEPTYPE, D_LLQUANT_STEPVAL);
	check_llsteps(c, call, factor, steps);
	if (first) {
		/* a magnitude from v to v * factor has steps of v * factor / steps, or of 1 where that would be less */
		for (v = 1, i = 0; i <= high; i++, v *= factor)
			if (i >= low)
				n += v * factor <= steps ? v * factor - v : steps - steps / factor;
		a->factor = (int32_t)factor;
		a->low = (int32_t)low;
		a->high = (int32_t)high;
		a->nsteps = (int32_t)steps;
		a->ndata = (uint32_t)(2 + n);
		return;
	}
	same_param(c, call, id, a->factor, factor, "factor", D_LLQUANT_MATCHFACTOR);
	same_param(c, call, id, a->low, low, "low magnitude", D_LLQUANT_MATCHLMAG);
	same_param(c, call, id, a->high, high, "high magnitude", D_LLQUANT_MATCHHMAG);
	same_param(c, call, id, a->nsteps, steps, "linear steps per magnitude", D_LLQUANT_MATCHSTEPS);
}

static void set_func(struct dt_cc *c, struct dt_ident *id, int func)
{
	static const uint8_t ndata[] = { 1, 1, 1, 1, 2, 4, DVM_QUANTIZE_NBUCKETS, 0, 0 };
	struct dt_aggmeta *m = (struct dt_aggmeta *)c->p->aggmeta.v + id->id;
	struct dvm_agg *a = dvm_agg(c, id);

	a->func = (uint32_t)func;
	a->ndata = ndata[func];
	m->func = (uint8_t)func;
}

/* The consumer's view of the keys, whose types may have widened. */
static void sync_meta(struct dt_cc *c, struct dt_ident *id)
{
	struct dt_aggmeta *m = (struct dt_aggmeta *)c->p->aggmeta.v + id->id;
	int i;

	if (!m->key && id->nkey)
		m->key = dt_alloc(c, (size_t)id->nkey * sizeof(*m->key));
	m->nkey = (uint32_t)id->nkey;
	for (i = 0; i < id->nkey; i++)
		dt_val_of(c, id->key[i], &m->key[i]);
}

void dt_check_agg(struct dt_cc *c, struct dt_node *n)
{
	struct dt_ident *id = dt_map_get(&c->p->aggs, n->str), *f;
	struct dt_node *call = n->a;
	bool first;

	f = call->kind == DT_N_CALL ? dt_map_get(&c->p->globals, call->str) : NULL;
	if (call->kind == DT_N_CALL && !f)
		dt_fail(c, call->line, D_FUNC_UNDEF, "undefined function name: %s", call->str);
	if (!f || f->kind != DT_ID_AGGFUNC)
		dt_fail(c, n->line, D_AGG_FUNC,
			"@%s must be assigned the result of an aggregating function", n->str);
	dt_check_call(c, call);
	if (call->list && !dt_is_scalar(call->list->type))
		dt_fail(c, call->line, D_AGG_SCALAR, "%s( ) argument #1 must be of scalar type",
			f->name);
	if (!id)
		id = agg_new(c, n->str, n->line);
	first = !id->assigned;
	if (first)
		set_func(c, id, f->code);
	else if (dvm_agg(c, id)->func != f->code)
		dt_fail(c, n->line, D_AGG_REDEF,
			"aggregation redefined: @%s\n\t current: @%s = %s( )\n\tprevious: @%s = "
			"%s( ) : line %u",
			n->str, n->str, f->name, n->str, func_name((int)dvm_agg(c, id)->func),
			id->line);
	if (f->code == DVM_AGG_LQUANTIZE)
		check_lquantize(c, call, id, first);
	else if (f->code == DVM_AGG_LLQUANTIZE)
		check_llquantize(c, call, id, first);
	n->id = id;
	n->type = c->p->t_void;
	dt_check_keys(c, n, id, "@");
	id->assigned = true;
	sync_meta(c, id);
}
