/* The code generator's base and its clauses. Registers are a stack: each value goes into the next free one, so that the
 * arguments of a call lie side by side. An integer in a register is always extended to 64 bits as its type says. */
#include "dtrace/dt_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int dt_reg(struct dt_cc *c)
{
	if (c->top >= DVM_NREGS)
		dt_fail(c, c->line, D_NOREGS,
			"expression needs too many registers: more than %d values at once",
			DVM_NREGS - 1);
	return (int)c->top++;
}

uint32_t dt_emit(struct dt_cc *c, int op, int rd, int ra, int rb, int32_t imm)
{
	struct dvm_insn *i = dt_push(c, &c->p->insns, sizeof(*i), 1);

	i->op = (uint8_t)op;
	i->rd = (uint8_t)rd;
	i->ra = (uint8_t)ra;
	i->rb = (uint8_t)rb;
	i->imm = imm;
	return c->p->insns.n - 1;
}

void dt_patch(struct dt_cc *c, uint32_t jump)
{
	((struct dvm_insn *)c->p->insns.v)[jump].imm = (int32_t)(c->p->insns.n - jump - 1);
}

void dt_emit_const(struct dt_cc *c, int rd, int64_t v)
{
	uint64_t *k;

	if (v >= INT32_MIN && v <= INT32_MAX) {
		dt_emit(c, DVM_LDI, rd, 0, 0, (int32_t)v);
		return;
	}
	k = dt_push(c, &c->p->consts, sizeof(*k), 1);
	*k = (uint64_t)v;
	dt_emit(c, DVM_LDC, rd, 0, 0, (int32_t)(c->p->consts.n - 1));
}

/* The integer in r, of type from, becomes one of type to. Nothing to do where from's values all fit. */
void dt_emit_conv(struct dt_cc *c, int r, struct dt_type *from, struct dt_type *to)
{
	uint64_t fs = dt_type_size(from), ts = dt_type_size(to);
	bool fsign = dt_is_signed(from), tsign = dt_is_signed(to);

	if (!dt_is_int(to) || ts >= 8)
		return;
	if (dt_is_int(from) && ((fs < ts && (!fsign || tsign)) || (fs == ts && fsign == tsign)))
		return;
	dt_emit(c, tsign ? DVM_SX : DVM_ZX, r, r, 0, (int32_t)ts * 8);
}

void dt_val_of(struct dt_cc *c, struct dt_type *t, struct dt_val *v)
{
	memset(v, 0, sizeof(*v));
	v->type = (char *)dt_type_name(c, t);
	if (dt_is_string(t)) {
		v->kind = DT_VAL_STRING;
	} else if (dt_is_byref(t)) {
		v->kind = DT_VAL_BYTES;
		v->bytes = (uint32_t)dt_type_size(t);
		v->is_char_array = dt_resolve(t)->kind == DT_T_ARRAY && dt_is_strcompat(t);
	} else {
		v->kind = DT_VAL_INT;
		v->size = (uint8_t)dt_type_size(t);
		v->is_signed = dt_is_signed(t);
	}
}

/* ---- Clauses ---- */

static int add_probe(const struct dt_probe *p, void *arg)
{
	struct dt_cc *c = arg;
	struct dt_vec *v = &c->probes;

	if (v->n == v->cap) { /* dt_push() would leave by longjmp through dt_probes_match() */
		uint32_t cap = v->cap ? v->cap * 2 : 256;
		void *mem = realloc(v->v, cap * sizeof(p));

		if (!mem)
			return -ENOMEM;
		v->v = mem;
		v->cap = cap;
	}
	((const struct dt_probe **)v->v)[v->n++] = p;
	return 0;
}

/* "a:b" with -m: the parts fill from the right of the part that the option names. */
static void parse_desc(struct dt_cc *c, struct dt_desc *d, struct dt_pdesc *pd)
{
	static const char *const part[] = { "name", "function", "module", "provider" };
	char text[512];
	unsigned colons = 0;
	const char *s;

	for (s = d->text; *s; s++)
		colons += *s == ':';
	if (!c->src->pspec || !c->src->spec) {
		if (dt_pdesc_parse(d->text, pd, c->e) < 0)
			goto bad;
		return;
	}
	if (colons > 3u - c->src->spec) {
		err_msg(c->e, EINVAL, "Overspecified probe description: %s is the %s", d->text,
			part[c->src->spec]);
		goto bad;
	}
	if (snprintf(text, sizeof(text), "%s%s", d->text, &":::"[3 - c->src->spec]) >=
	    (int)sizeof(text)) {
		err_msg(c->e, EINVAL, "Probe description is too long");
		goto bad;
	}
	if (dt_pdesc_parse(text, pd, c->e) < 0)
		goto bad;
	return;
bad:
	dt_fail(c, d->line, D_PDESC_INVAL, "invalid probe description \"%s\": %s", d->text,
		c->e ? c->e->msg : "");
}

static void match(struct dt_cc *c, struct dt_desc *d)
{
	struct dt_pdesc pd;
	int n;

	memset(&pd, 0, sizeof(pd));
	c->probes.n = 0;
	if (d->id)
		pd.id = d->id;
	else
		parse_desc(c, d, &pd);
	n = dt_probes_match(c->p->ps, &pd, add_probe, c, c->e);
	if (n < 0) {
		if (c->e && c->e->tag[0])
			dt_fail_err(c, d->line);
		dt_fail(c, d->line, D_PDESC_INVAL, "invalid probe description \"%s\": %s", d->text,
			c->e ? c->e->msg : "");
	}
	if (!n && !c->src->zdefs && !(c->p->opts && c->p->opts->val[DT_OPT_ZDEFS])) {
		if (d->id)
			dt_fail(c, d->line, D_PDESC_ZERO,
				"probe identifier %u does not match any probes", d->id);
		dt_fail(c, d->line, D_PDESC_ZERO,
			"probe description %s:%s:%s:%s does not match any probes", pd.prov, pd.mod,
			pd.func, pd.name);
	}
	c->probe = c->probes.v;
	c->nprobe = c->probes.n;
	c->desctext = d->text;
}

static void check_pred(struct dt_cc *c, struct dt_clause *cl)
{
	c->region = "predicate";
	cl->pred = dt_check(c, cl->pred);
	if (!dt_is_scalar(cl->pred->type))
		dt_fail(c, cl->pred->line, D_PRED_SCALAR, "predicate result must be of scalar type");
	c->region = NULL;
}

static void check_stmts(struct dt_cc *c, struct dt_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == DT_S_NULL)
			continue;
		if (s->kind == DT_S_EXPR) {
			s->expr = dt_check_stmt(c, s->expr);
			if (s->expr->kind == DT_N_AGG && !s->expr->a)
				dt_fail(c, s->line, D_AGG_NULL, "expression has null effect: @%s",
					s->expr->str);
			if (s->expr->kind == DT_N_CALL && s->expr->id->kind == DT_ID_AGGFUNC)
				dt_fail(c, s->line, D_CG_EXPR,
					"aggregating function %s( ) may not be called from a D "
					"expression (D program "
					"context required)",
					s->expr->id->name);
			continue;
		}
		s->expr = dt_check(c, s->expr);
		if (!dt_is_scalar(s->expr->type))
			dt_fail(c, s->line, D_PRED_SCALAR, "condition must be of scalar type");
		check_stmts(c, s->then);
		check_stmts(c, s->otherwise);
	}
}

static void check_actions(struct dt_cc *c, struct dt_stmt *s)
{
	c->region = "action list";
	check_stmts(c, s);
	c->region = NULL;
}

/* Actions come before the predicate, so that they may make the variables it tests; where they use what only the
 * predicate makes (/x++/), the predicate comes first. */
static void check_clause(struct dt_cc *c, struct dt_clause *cl)
{
	jmp_buf outer;

	c->expanded = c->expanding = 0;
	if (!cl->pred) {
		check_actions(c, cl->stmt);
		return;
	}
	memcpy(&outer, &c->jb, sizeof(outer));
	if (!setjmp(c->jb)) {
		check_actions(c, cl->stmt);
		memcpy(&c->jb, &outer, sizeof(outer));
		check_pred(c, cl);
		return;
	}
	memcpy(&c->jb, &outer, sizeof(outer));
	c->expanding = 0;
	if (strcmp(c->e->tag, "D_IDENT_UNDEF") && strcmp(c->e->tag, "D_VAR_UNDEF"))
		longjmp(c->jb, 1);
	check_pred(c, cl);
	check_actions(c, cl->stmt);
}

static void finish(struct dt_cc *c, struct dt_desc *d)
{
	struct dt_clausemeta *m = dt_push(c, &c->p->meta, sizeof(*m), 1);
	struct dvm_clause *k = dt_push(c, &c->p->clauses, sizeof(*k), 1);
	char name[32];
	uint32_t i, str;

	snprintf(name, sizeof(name), "dt_clause_%u", c->p->nclause++);
	str = dt_strtab(c, dt_strndup(c, name, strlen(name)), strlen(name));
	k->insn = c->start;
	k->ninsn = c->p->insns.n - c->start;
	k->flags = c->flags;
	k->name = str;
	m->line = d->line;
	m->nact = c->acts.n;
	m->act = dt_alloc(c, c->acts.n * sizeof(struct dt_act));
	if (c->acts.n)
		memcpy(m->act, c->acts.v, c->acts.n * sizeof(struct dt_act));
	for (i = 0; i < c->nprobe; i++) {
		struct dt_enab *e = dt_push(c, &c->p->enabs, sizeof(*e), 1);

		e->probe = c->probe[i];
		e->clause = c->p->clauses.n - 1;
	}
}

/* ---- if: the machine's records have a fixed shape, so what stands under a condition becomes a clause of its own, which
 * tests what the condition came to before. A hidden clause-local variable keeps that: 1 true, 2 false, 0 not reached. ---- */

struct guard {
	struct dt_ident *var;
	int want;
	const struct guard *up;
};

struct parts { /* the clause being cut */
	struct dt_desc *desc;
	bool open;
};

static struct dt_ident *hidden_var(struct dt_cc *c, uint32_t line)
{
	struct dt_ident *id = dt_var_new(c, DVM_LOCAL, "if", false, line);

	dt_var_settype(c, id, c->p->t_int);
	return id;
}

static void emit_guards(struct dt_cc *c, const struct guard *g)
{
	if (!g)
		return;
	emit_guards(c, g->up);
	dt_emit(c, DVM_LDV, 1, 0, 0, (int32_t)g->var->id);
	dt_emit(c, DVM_LDI, 2, 0, 0, g->want);
	dt_emit(c, DVM_JEQ, 0, 1, 2, 1);
	dt_emit(c, DVM_DROP, 0, 0, 0, 0);
}

static void part_open(struct dt_cc *c, struct parts *p, const struct guard *g)
{
	if (p->open)
		return;
	p->open = true;
	c->start = c->p->insns.n;
	c->flags = 0;
	c->acts.n = 0;
	c->top = 1;
	emit_guards(c, g);
}

static void part_close(struct dt_cc *c, struct parts *p)
{
	if (!p->open)
		return;
	dt_emit(c, DVM_RET, 0, 0, 0, 0);
	finish(c, p->desc);
	p->open = false;
}

/* Keeps whether n is true. */
static struct dt_ident *gen_condition(struct dt_cc *c, struct dt_node *n)
{
	struct dt_ident *id = hidden_var(c, n->line);
	int r, s;

	c->top = 1;
	r = dt_gen(c, n);
	dt_emit(c, DVM_SNE, r, r, 0, 0);
	s = dt_reg(c);
	dt_emit(c, DVM_LDI, s, 0, 0, 2);
	dt_emit(c, DVM_SUB, r, s, r, 0);
	dt_emit(c, DVM_STV, 0, r, 0, (int32_t)id->id);
	c->top = 1;
	return id;
}

static void gen_stmts(struct dt_cc *c, struct parts *p, const struct guard *g, struct dt_stmt *s)
{
	for (; s; s = s->next) {
		c->line = s->line;
		if (s->kind == DT_S_EXPR) {
			part_open(c, p, g);
			dt_gen_void(c, s->expr);
		} else if (s->kind == DT_S_IF) {
			struct guard in = { .want = 1, .up = g };

			part_open(c, p, g);
			in.var = gen_condition(c, s->expr);
			part_close(c, p);
			gen_stmts(c, p, &in, s->then);
			part_close(c, p);
			in.want = 2;
			gen_stmts(c, p, &in, s->otherwise);
			part_close(c, p);
		}
	}
}

static bool has_if(const struct dt_stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == DT_S_IF)
			return true;
	return false;
}

static void gen_clause(struct dt_cc *c, struct dt_clause *cl, struct dt_desc *d)
{
	struct parts p = { .desc = d };
	struct guard pred = { .want = 1 };
	const struct guard *g = NULL;

	part_open(c, &p, NULL);
	if (cl->pred && has_if(cl->stmt)) {
		pred.var = gen_condition(c, cl->pred);
		g = &pred;
		emit_guards(c, g);
	} else if (cl->pred) {
		int r = dt_gen(c, cl->pred);

		dt_emit(c, DVM_JNZ, 0, r, 0, 1);
		dt_emit(c, DVM_DROP, 0, 0, 0, 0);
		c->top = 1;
	}
	if (!cl->stmt)
		c->flags |= DVM_CL_RECORD; /* the default action */
	gen_stmts(c, &p, g, cl->stmt);
	part_close(c, &p);
}

/* Sorts the matched probes by ABI; returns how many are of the first. */
static uint32_t split_abis(struct dt_cc *c)
{
	const struct dt_probe **p = dt_alloc(c, c->nprobe * sizeof(*p));
	uint32_t i, n = 0, first;

	for (i = 0; i < c->nprobe; i++)
		if (c->probe[i]->abi == c->probe[0]->abi)
			p[n++] = c->probe[i];
	first = n;
	for (i = 0; i < c->nprobe; i++)
		if (c->probe[i]->abi != c->probe[0]->abi)
			p[n++] = c->probe[i];
	c->probe = p;
	return first;
}

void dt_gen_clause(struct dt_cc *c, struct dt_clause *cl, struct dt_desc *d)
{
	uint32_t all, first;

	c->in_clause = true;
	c->abi_matters = false;
	c->line = d->line;
	match(c, d);
	c->matched += c->nprobe;
	check_clause(c, cl);
	if (c->abi_matters) { /* one clause for each ABI's types */
		all = c->nprobe;
		first = split_abis(c);
		c->nprobe = first;
		check_clause(c, cl);
		gen_clause(c, cl, d);
		c->probe += first;
		c->nprobe = all - first;
		check_clause(c, cl);
	}
	gen_clause(c, cl, d);
	c->in_clause = false;
}
