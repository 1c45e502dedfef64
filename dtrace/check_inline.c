/* Names for expressions and translators: both are expanded where they are used, by copying their tree with the
 * parameters replaced. */
#include "dtrace/dt_impl.h"

#include <string.h>

static struct dt_node *clone_list(struct dt_cc *c, struct dt_node *n, const struct dt_param *par,
				  struct dt_node *const *arg)
{
	struct dt_node *first = NULL, **end = &first;

	for (; n; n = n->next) {
		*end = dt_node_clone(c, n, par, arg);
		end = &(*end)->next;
	}
	return first;
}

struct dt_node *dt_node_clone(struct dt_cc *c, struct dt_node *n, const struct dt_param *par,
			      struct dt_node *const *arg)
{
	const struct dt_param *p;
	struct dt_node *r;
	unsigned i;

	if (!n)
		return NULL;
	if (n->kind == DT_N_IDENT && !n->val)
		for (p = par, i = 0; p; p = p->next, i++)
			if (p->name && !strcmp(p->name, n->str))
				return dt_node_clone(c, arg[i], NULL, NULL);
	r = dt_alloc(c, sizeof(*r));
	*r = *n;
	r->next = NULL;
	r->a = dt_node_clone(c, n->a, par, arg);
	r->b = dt_node_clone(c, n->b, par, arg);
	r->c = dt_node_clone(c, n->c, par, arg);
	r->list = clone_list(c, n->list, par, arg);
	if (r->kind != DT_N_INT && r->kind != DT_N_STRING)
		dt_node_depth(c, r);
	if (++c->expanded > DT_MAXEXPAND)
		dt_fail(c, n->line, D_SYNTAX,
			"inline definitions expand to too much (more than %d operators)",
			DT_MAXEXPAND);
	return r;
}

static struct dt_node *cast_to(struct dt_cc *c, struct dt_type *t, struct dt_node *n, uint32_t line)
{
	struct dt_node *r = dt_node_new(c, DT_N_CAST, line);

	r->ctype = t;
	r->a = n;
	dt_node_depth(c, r);
	return r;
}

/* The value of an inline, with its arguments in place. */
struct dt_node *dt_check_inline(struct dt_cc *c, struct dt_ident *id, struct dt_node *args,
				uint32_t line)
{
	struct dt_node *arg[DVM_MAXKEYS], *n, *l;
	int i = 0;

	for (l = args; l; l = l->next)
		i++;
	if (i != id->nkey)
		dt_fail(c, line, D_PROTO_LEN,
			"%s[ ] prototype mismatch: %d key%spassed, %d expected", id->name, i,
			i == 1 ? " " : "s ", id->nkey);
	if (++c->expanding > DT_MAXINLINE)
		dt_fail(c, line, D_SYNTAX, "inline %s refers to itself", id->name);
	for (i = 0, l = args; l; l = l->next, i++) {
		struct dt_node *copy = dt_check(c, dt_node_clone(c, l, NULL, NULL));

		if (!dt_argcompat(id->key[i], copy))
			dt_fail(c, line, D_PROTO_ARG,
				"%s[ ] key #%d is incompatible with prototype:\n\tprototype: "
				"%s\n\t      key: %s",
				id->name, i + 1, dt_type_name(c, id->key[i]),
				dt_type_name(c, copy->type));
		arg[i] = dt_is_int(id->key[i]) ? cast_to(c, id->key[i], copy, line) : copy;
	}
	n = dt_node_clone(c, id->expr, id->param, arg);
	n = dt_check(c, n);
	c->expanding--;
	if (n->kind == DT_N_XLATE && dt_type_same(id->type, n->ctype))
		return n; /* a translation: its members are asked for where the name is used */
	if (!dt_argcompat(id->type, n) && !dt_type_same(id->type, n->type))
		dt_fail(c, id->line, D_OP_INCOMPAT,
			"inline %s definition uses incompatible types: \"%s\" = \"%s\"", id->name,
			dt_type_name(c, id->type), dt_type_name(c, n->type));
	if (!dt_type_same(id->type, n->type) && dt_is_scalar(id->type))
		n = dt_check(c, cast_to(c, id->type, n, line));
	n->flags &= (uint8_t)~(DT_NF_LVALUE | DT_NF_WRITABLE);
	return n;
}

static struct dt_xlator *find(struct dt_cc *c, struct dt_type *to, struct dt_type *from)
{
	struct dt_xlator *x;

	for (x = c->p->xlators; x; x = x->next)
		if (dt_type_same(x->to, to) &&
		    (dt_type_same(x->from, from) || (dt_is_int(x->from) && dt_is_int(from))))
			return x;
	return NULL;
}

/* xlate <T> (e).member, xlate <T *> (e)->member: the member's expression; n is the member node, or a bare xlate, which
 * has no value of its own. */
struct dt_node *dt_check_xlate(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *x = n->kind == DT_N_XLATE      ? n
			    : n->a->kind == DT_N_XLATE ? n->a
						       : n->a->a,
		       *from, *m, *r;
	struct dt_type *to = dt_is_ptr(x->ctype) ? dt_pointee(x->ctype) : x->ctype;
	struct dt_param par = { 0 };
	struct dt_xlator *xl;
	uint32_t off = 0;

	from = dt_check(c, dt_node_clone(c, x->a, NULL, NULL));
	xl = find(c, to, from->type);
	if (!xl)
		dt_fail(c, x->line, D_XLATE_NONE, "cannot translate from \"%s\" to \"%s\"",
			dt_type_name(c, from->type), dt_type_name(c, x->ctype));
	if (n->kind == DT_N_XLATE) {
		n->type = c->p->t_dyn;
		return n;
	}
	for (m = xl->member; m && strcmp(m->str, n->str); m = m->next)
		;
	if (!m) {
		struct dt_type *t = dt_resolve(to);

		if (t->complete && !dt_type_member(t, n->str, &off))
			dt_fail(c, n->line, D_TYPE_MEMBER, "%s is not a member of %s", n->str,
				dt_type_name(c, to));
		dt_fail(c, n->line, D_XLATE_NOCONV,
			"translator does not define conversion for member: %s", n->str);
	}
	if (++c->expanding > DT_MAXINLINE)
		dt_fail(c, n->line, D_SYNTAX, "translator member %s refers to itself", n->str);
	par.name = xl->param;
	r = dt_check(c, dt_node_clone(c, m->a, &par, &from));
	c->expanding--;
	if (dt_resolve(to)->complete) {
		struct dt_member *tm = dt_type_member(to, n->str, &off);

		if (!tm)
			dt_fail(c, m->line, D_XLATE_MEMB,
				"translator member %s is not a member of %s", m->str,
				dt_type_name(c, to));
		if (!dt_argcompat(tm->type, r) && !dt_type_same(tm->type, r->type))
			dt_fail(c, m->line, D_XLATE_INCOMPAT,
				"translator member %s definition uses incompatible types: \"%s\" = "
				"\"%s\"",
				m->str, dt_type_name(c, tm->type), dt_type_name(c, r->type));
		if (dt_is_scalar(tm->type) && !dt_type_same(tm->type, r->type))
			r = dt_check(c, cast_to(c, tm->type, r, n->line));
	}
	r->flags &= (uint8_t)~(DT_NF_LVALUE | DT_NF_WRITABLE);
	return r;
}
