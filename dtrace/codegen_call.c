/* Code for calls, tuples, aggregations and actions. */
#include "dtrace/action_impl.h"

#include <string.h>

int dt_gen_call(struct dt_cc *c, struct dt_node *n)
{
	const char *p = n->id->proto;
	struct dt_node *l;
	int base = (int)c->top, argc = 0, r;

	for (l = n->list; l; l = l->next, argc++, p++) {
		p += *p == '[';
		if (*p == 's' && !dt_is_zero(l))
			r = dt_gen_as(c, l, c->p->t_string);
		else if (*p == 'i' || *p == 'h' || *p == 'w')
			r = dt_gen_as(c, l,
				      dt_type_lookup(c, *p == 'i'   ? "int"
							: *p == 'h' ? "uint16_t"
								    : "uint32_t"));
		else
			r = dt_gen(c, l);
		c->top = (uint32_t)r + 1;
	}
	c->top = (uint32_t)base;
	r = dt_reg(c);
	dt_emit(c, DVM_CALL, r, argc ? base : 0, argc, n->id->code);
	if (dt_is_int(n->type))
		dt_emit_conv(c, r, c->p->t_ulong, n->type);
	return r;
}

/* ---- Tuples ---- */

/* Bytes of an object that goes into a record or a tuple. */
static int32_t object_size(struct dt_cc *c, struct dt_type *t)
{
	uint64_t size = dt_type_size(t);

	if (size > DT_MAXOBJECT)
		dt_fail(c, c->line, D_DECL_ARRBIG, "value of type %s is too big (%llu bytes)",
			dt_type_name(c, t), (unsigned long long)size);
	return (int32_t)size;
}

static void emit_key(struct dt_cc *c, int r, struct dt_type *t)
{
	if (dt_is_string(t))
		dt_emit(c, DVM_TSTR, 0, r, 0, 0);
	else if (dt_is_byref(t))
		dt_emit(c, DVM_TBYTES, 0, r, 0, object_size(c, t));
	else
		dt_emit(c, DVM_TINT, 0, r, 0, 0);
}

int dt_gen_keys(struct dt_cc *c, struct dt_node *keys, struct dt_ident *id)
{
	int base = (int)c->top, i;

	for (i = 0; keys; keys = keys->next, i++)
		dt_gen_as(c, keys, id->key[i]);
	return base;
}

void dt_emit_tuple(struct dt_cc *c, int base, struct dt_node *keys, struct dt_ident *id)
{
	int i;

	dt_emit(c, DVM_TRST, 0, 0, 0, 0);
	for (i = 0; keys; keys = keys->next, i++)
		emit_key(c, base + i, id->key[i]);
}

void dt_gen_tuple(struct dt_cc *c, struct dt_node *keys, struct dt_ident *id)
{
	uint32_t top = c->top;
	struct dt_node *l;
	int i;

	for (l = keys; l && !(l->flags & DT_NF_TUPLE); l = l->next)
		;
	if (l) { /* a key needs a tuple itself: all keys first */
		dt_emit_tuple(c, dt_gen_keys(c, keys, id), keys, id);
	} else {
		dt_emit(c, DVM_TRST, 0, 0, 0, 0);
		for (l = keys, i = 0; l; l = l->next, i++) {
			emit_key(c, dt_gen_as(c, l, id->key[i]), id->key[i]);
			c->top = top;
		}
	}
	c->top = top;
}

/* ---- Aggregations ---- */

void dt_gen_agg(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *call = n->a, *l = call->list, *incr = NULL;
	int v = 0, by;

	if (l) {
		v = dt_gen(c, l);
		if (call->id->code == DVM_AGG_QUANTIZE)
			incr = l->next;
		else if (call->id->code == DVM_AGG_LQUANTIZE)
			incr = l->next->next->next ? l->next->next->next->next : NULL;
		else if (call->id->code == DVM_AGG_LLQUANTIZE)
			incr = l->next->next->next->next->next;
	}
	if (incr) {
		by = dt_gen(c, incr);
	} else {
		by = dt_reg(c);
		dt_emit(c, DVM_LDI, by, 0, 0, 1);
	}
	dt_gen_tuple(c, n->list, n->id);
	dt_emit(c, DVM_AGG, 0, v, by, (int32_t)n->id->id);
}

/* ---- Actions ---- */

static struct dt_act *new_act(struct dt_cc *c, struct dt_node *n, enum dt_actkind kind, uint32_t nval)
{
	struct dt_act *a = dt_push(c, &c->acts, sizeof(*a), 1);

	a->kind = (uint8_t)kind;
	a->line = n->line;
	a->nval = nval;
	a->val = nval ? dt_alloc(c, nval * sizeof(*a->val)) : NULL;
	c->flags |= DVM_CL_RECORD;
	return a;
}

/* Appends a value to the record and says how it is shown. */
static void record(struct dt_cc *c, struct dt_node *n, struct dt_val *v)
{
	uint32_t top = c->top;
	struct dt_type *t = n->type;
	int r;

	dt_val_of(c, t, v);
	r = dt_gen_as(c, n, t);
	if (dt_is_string(t))
		dt_emit(c, DVM_RSTR, 0, r, 0, 0);
	else if (dt_is_byref(t))
		dt_emit(c, DVM_RBYTES, 0, r, 0, object_size(c, t));
	else
		dt_emit(c, DVM_RINT, 0, r, 0, 0);
	c->top = top;
}

static struct dt_fmt *parse_fmt(struct dt_cc *c, struct dt_node *n, const char *text, bool printa)
{
	struct dt_fmt **keep = dt_push(c, &c->p->fmts, sizeof(*keep), 1), *f = NULL;

	if (dt_fmt_parse(text, printa, &f, c->e) < 0) {
		c->p->fmts.n--;
		dt_fail_err(c, n->line);
	}
	((struct dt_fmt **)c->p->fmts.v)[c->p->fmts.n - 1] = f;
	return f;
}

static uint32_t list_len(struct dt_node *l)
{
	uint32_t n = 0;

	for (; l; l = l->next)
		n++;
	return n;
}

static void gen_printf(struct dt_cc *c, struct dt_node *n, enum dt_actkind kind)
{
	struct dt_node *fmt = n->list, *l;
	uint32_t nval = list_len(fmt->next), i = 0, at = c->acts.n;
	struct dt_act *a = new_act(c, n, kind, nval);
	struct dt_val *val = a->val;

	for (l = fmt->next; l; l = l->next)
		record(c, l, &val[i++]);
	((struct dt_act *)c->acts.v)[at].fmt = parse_fmt(c, n, fmt->str, false);
	if (dt_fmt_check(((struct dt_act *)c->acts.v)[at].fmt, n->id->name, val, nval, c->e) < 0)
		dt_fail_err(c, n->line);
}

/* The keys of an aggregation and its value, as a format sees them. */
static void check_printa_fmt(struct dt_cc *c, struct dt_node *n, struct dt_fmt *f, struct dt_ident *agg)
{
	struct dt_val val[DVM_MAXKEYS];
	int i;

	for (i = 0; i < agg->nkey; i++)
		dt_val_of(c, agg->key[i], &val[i]);
	if (dt_fmt_check(f, "printa", val, (unsigned)agg->nkey, c->e) < 0)
		dt_fail_err(c, n->line);
}

static void gen_printa(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *l = n->list, *fmt = NULL;
	struct dt_act *a = new_act(c, n, DT_ACT_PRINTA, 0);
	uint32_t at = c->acts.n - 1, i = 0;

	if (l->kind == DT_N_STRING) {
		fmt = l;
		l = l->next;
	}
	a->nagg = list_len(l);
	a->agg = dt_alloc(c, a->nagg * sizeof(*a->agg));
	if (fmt) {
		struct dt_fmt *f = parse_fmt(c, n, fmt->str, true);

		check_printa_fmt(c, n, f, l->id);
		((struct dt_act *)c->acts.v)[at].fmt = f;
	}
	for (; l; l = l->next)
		a->agg[i++] = l->id->id;
}

/* clear, trunc, normalize, denormalize */
static void gen_aggact(struct dt_cc *c, struct dt_node *n, enum dt_actkind kind)
{
	struct dt_node *arg = n->list->next;
	struct dt_act *a = new_act(c, n, kind, arg ? 1 : 0);

	a->nagg = 1;
	a->agg = dt_alloc(c, sizeof(*a->agg));
	a->agg[0] = n->list->id->id;
	if (arg)
		record(c, arg, a->val);
}

static void gen_tracemem(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *addr = n->list, *size = addr->next, *dyn = size->next;
	struct dt_act *a = new_act(c, n, DT_ACT_TRACEMEM, dyn ? 2 : 1);
	struct dt_val *val = a->val;
	int r = dt_gen(c, addr);

	val[0].kind = DT_VAL_BYTES;
	val[0].bytes = (uint32_t)size->val;
	val[0].type = dt_strndup(c, "void", 4);
	if (addr->flags & DT_NF_USER) {
		int s = dt_reg(c);

		dt_emit_const(c, s, (int64_t)size->val);
		dt_emit(c, DVM_CALL, r, r, 2, DVM_F_COPYIN);
	}
	dt_emit(c, DVM_RBYTES, 0, r, 0, (int32_t)size->val);
	c->top = (uint32_t)r;
	if (dyn)
		record(c, dyn, &val[1]);
}

static void gen_machine(struct dt_cc *c, struct dt_node *n, int func)
{
	int r = n->list ? dt_gen_as(c, n->list, c->p->t_int) : 0;

	dt_emit(c, DVM_CALL, r, r, n->list ? 1 : 0, func);
	c->p->destructive = true;
}

void dt_gen_action(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *l;
	struct dt_act *a;
	uint32_t i = 0;
	int r;

	switch ((enum dt_action)n->id->code) {
	case DT_A_TRACE:
	case DT_A_PRINT:
		a = new_act(c, n, n->id->code == DT_A_TRACE ? DT_ACT_TRACE : DT_ACT_PRINT, 1);
		record(c, n->list, a->val);
		break;
	case DT_A_PRINTF:
		gen_printf(c, n, DT_ACT_PRINTF);
		break;
	case DT_A_SYSTEM:
		c->p->destructive = true;
		gen_printf(c, n, DT_ACT_SYSTEM);
		break;
	case DT_A_FREOPEN:
		c->p->destructive = true;
		gen_printf(c, n, DT_ACT_FREOPEN);
		break;
	case DT_A_FTRUNCATE:
		new_act(c, n, DT_ACT_FTRUNCATE, 0);
		break;
	case DT_A_PRINTA:
		gen_printa(c, n);
		break;
	case DT_A_CLEAR:
		gen_aggact(c, n, DT_ACT_CLEAR);
		break;
	case DT_A_TRUNC:
		gen_aggact(c, n, DT_ACT_TRUNC);
		break;
	case DT_A_NORMALIZE:
		gen_aggact(c, n, DT_ACT_NORMALIZE);
		break;
	case DT_A_DENORMALIZE:
		gen_aggact(c, n, DT_ACT_DENORMALIZE);
		break;
	case DT_A_TRACEMEM:
		gen_tracemem(c, n);
		break;
	case DT_A_EXIT:
		a = new_act(c, n, DT_ACT_EXIT, 1);
		dt_val_of(c, c->p->t_int, a->val);
		r = dt_gen_as(c, n->list, c->p->t_int);
		dt_emit(c, DVM_EXIT, 0, r, 0, 0);
		break;
	case DT_A_RAISE:
		gen_machine(c, n, DVM_F_RAISE);
		break;
	case DT_A_STOP:
		gen_machine(c, n, DVM_F_STOP);
		break;
	case DT_A_CHILL:
		gen_machine(c, n, DVM_F_CHILL);
		break;
	case DT_A_SETOPT:
		a = new_act(c, n, DT_ACT_SETOPT, list_len(n->list));
		for (l = n->list; l; l = l->next)
			record(c, l, &a->val[i++]);
		break;
	}
}
