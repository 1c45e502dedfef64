/* The checker: gives every node a type, resolves names, converts constants, folds. What it writes into a node is the
 * same when the node is checked again for another probe description of its clause. */
#include "dtrace/dt_impl.h"

#include <string.h>

const char *dt_op_name(enum dt_op op)
{
	static const char *const names[] = {
		[DT_OP_NONE] = "", [DT_OP_ADD] = "+", [DT_OP_SUB] = "-", [DT_OP_MUL] = "*", [DT_OP_DIV] = "/", [DT_OP_MOD] = "%",
		[DT_OP_AND] = "&", [DT_OP_OR] = "|", [DT_OP_XOR] = "^", [DT_OP_SHL] = "<<", [DT_OP_SHR] = ">>", [DT_OP_EQ] = "==",
		[DT_OP_NE] = "!=", [DT_OP_LT] = "<", [DT_OP_LE] = "<=", [DT_OP_GT] = ">", [DT_OP_GE] = ">=", [DT_OP_LAND] = "&&",
		[DT_OP_LOR] = "||", [DT_OP_LXOR] = "^^", [DT_OP_ASSIGN] = "=", [DT_OP_NEG] = "-", [DT_OP_PLUS] = "+",
		[DT_OP_BNOT] = "~", [DT_OP_LNOT] = "!", [DT_OP_DEREF] = "*", [DT_OP_ADDR] = "&", [DT_OP_STRINGOF] = "stringof",
		[DT_OP_DOT] = ".", [DT_OP_ARROW] = "->",
	};

	return names[op];
}

bool dt_is_zero(const struct dt_node *n)
{
	return n->kind == DT_N_INT && !n->val;
}

/* Pointers to the same type, a pointer and void *, a pointer and the constant 0. */
bool dt_ptrcompat(struct dt_node *a, struct dt_node *b)
{
	bool pa = dt_is_ptr(a->type), pb = dt_is_ptr(b->type);

	if (pa && pb)
		return dt_type_same(dt_pointee(a->type), dt_pointee(b->type)) ||
		       dt_is_void(dt_pointee(a->type)) || dt_is_void(dt_pointee(b->type));
	return (pa && dt_is_zero(b)) || (pb && dt_is_zero(a));
}

bool dt_argcompat(struct dt_type *to, struct dt_node *from)
{
	struct dt_node lhs = { .type = to };

	if (dt_is_dyn(from->type) || dt_is_void(from->type))
		return false;
	if (dt_is_int(to))
		return dt_is_int(from->type);
	if (dt_is_string(to))
		return dt_is_strcompat(from->type) || dt_is_zero(from);
	if (dt_is_string(from->type))
		return dt_is_strcompat(to);
	if (dt_is_ptr(to))
		return dt_ptrcompat(&lhs, from);
	return dt_type_same(to, from->type);
}

static void need_int(struct dt_cc *c, struct dt_node *n)
{
	if (!dt_is_int(n->a->type) || (n->b && !dt_is_int(n->b->type)))
		dt_fail(c, n->line, D_OP_INT,
			n->b ? "operator %s requires operands of integral type"
			     : "operator %s requires an operand of integral type",
			dt_op_name((enum dt_op)n->op));
}

static void incompat(struct dt_cc *c, struct dt_node *n)
{
	dt_fail(c, n->line, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"",
		dt_type_name(c, n->a->type), dt_op_name((enum dt_op)n->op),
		dt_type_name(c, n->b->type));
}

static void check_compare(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *ta = n->a->type, *tb;

	n->b = dt_check(c, n->b);
	tb = n->b->type;
	n->type = c->p->t_int;
	if (dt_is_int(ta) && dt_is_int(tb)) {
		n->ctype = dt_type_arith(c, ta, tb);
		return;
	}
	if ((dt_is_string(ta) || dt_is_string(tb)) && (dt_is_strcompat(ta) || dt_is_zero(n->a)) &&
	    (dt_is_strcompat(tb) || dt_is_zero(n->b))) {
		n->ctype = c->p->t_string;
		return;
	}
	if (dt_is_dyn(ta) || dt_is_dyn(tb) || !dt_ptrcompat(n->a, n->b))
		incompat(c, n);
	n->ctype = c->p->t_ulong;
}

/* What an array or a string is in arithmetic: a pointer to its first element. */
static struct dt_type *decay(struct dt_cc *c, struct dt_type *t)
{
	struct dt_type *r = dt_resolve(t);

	if (r->kind == DT_T_ARRAY)
		return dt_type_ptr(c, r->ref);
	return r->kind == DT_T_STRING ? dt_type_ptr(c, c->p->t_char) : t;
}

/* + and -: integers, pointers and integers, two pointers. Strings count as pointers to char. */
static void check_additive(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *ta = n->a->type, *tb = n->b->type;
	bool pa = dt_is_string(ta) || (dt_is_ptr(ta) && !dt_is_vfptr(ta)),
	     pb = dt_is_string(tb) || (dt_is_ptr(tb) && !dt_is_vfptr(tb));
	struct dt_type *r;

	if (dt_is_int(ta) && dt_is_int(tb)) {
		n->type = n->ctype = dt_type_arith(c, ta, tb);
		return;
	}
	n->ctype = NULL;
	if (pa && dt_is_int(tb)) {
		r = dt_resolve(ta);
		if (r->kind == DT_T_ARRAY && n->b->kind == DT_N_INT && n->op == DT_OP_ADD &&
		    r->nelem && n->b->val >= r->nelem)
			dt_fail(c, n->line, D_ARR_BOUNDS,
				"index outside array bounds: %llu, max is %u",
				(unsigned long long)n->b->val, r->nelem);
		n->type = decay(c, ta);
		n->flags |= n->a->flags & DT_NF_USER;
	} else if (dt_is_int(ta) && pb && n->op == DT_OP_ADD) {
		n->type = decay(c, tb);
		n->flags |= n->b->flags & DT_NF_USER;
	} else if (pa && pb && n->op == DT_OP_SUB && dt_ptrcompat(n->a, n->b)) {
		n->type = dt_map_get(&c->p->types, "ptrdiff_t");
	} else {
		incompat(c, n);
	}
	if (dt_is_ptr(n->type) && !dt_type_size(dt_pointee(n->type)))
		dt_fail(c, n->line, D_OP_VFPTR, "operator %s requires an operand of known size",
			dt_op_name((enum dt_op)n->op));
}

static struct dt_node *check_binary(struct dt_cc *c, struct dt_node *n)
{
	n->a = dt_check(c, n->a);
	if (n->op >= DT_OP_EQ && n->op <= DT_OP_GE) {
		check_compare(c, n);
		return dt_fold(c, n);
	}
	n->b = dt_check(c, n->b);
	if (dt_is_zero(n->b) && (n->op == DT_OP_DIV || n->op == DT_OP_MOD))
		dt_fail(c, n->line, D_DIV_ZERO, "expression contains division by zero");
	switch ((int)n->op) {
	case DT_OP_ADD:
	case DT_OP_SUB:
		check_additive(c, n);
		break;
	case DT_OP_MUL:
	case DT_OP_DIV:
		if (!dt_is_int(n->a->type) || !dt_is_int(n->b->type))
			dt_fail(c, n->line, D_OP_ARITH,
				"operator %s requires operands of arithmetic type",
				dt_op_name((enum dt_op)n->op));
		n->type = n->ctype = dt_type_arith(c, n->a->type, n->b->type);
		break;
	case DT_OP_MOD:
	case DT_OP_AND:
	case DT_OP_OR:
	case DT_OP_XOR:
		need_int(c, n);
		n->type = n->ctype = dt_type_arith(c, n->a->type, n->b->type);
		break;
	case DT_OP_SHL:
	case DT_OP_SHR:
		need_int(c, n);
		n->type = n->ctype = dt_type_promote(c, n->a->type);
		break;
	default: /* && || ^^ */
		if (!dt_is_scalar(n->a->type) || !dt_is_scalar(n->b->type))
			dt_fail(c, n->line, D_OP_SCALAR,
				"operator %s requires operands of scalar type",
				dt_op_name((enum dt_op)n->op));
		n->type = c->p->t_int;
		break;
	}
	return dt_fold(c, n);
}

static void check_deref(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *t = dt_resolve(n->a->type), *to;

	if (t->kind == DT_T_STRING)
		to = c->p->t_char;
	else if (t->kind == DT_T_PTR || t->kind == DT_T_ARRAY)
		to = t->ref;
	else
		dt_fail(c, n->line, D_DEREF_NONPTR, "cannot dereference non-pointer type");
	if (dt_is_void(to))
		dt_fail(c, n->line, D_DEREF_VOID, "cannot dereference pointer to void");
	if (dt_resolve(to)->kind == DT_T_FUNC)
		dt_fail(c, n->line, D_DEREF_FUNC, "cannot dereference pointer to function");
	if (!dt_type_size(to) && !dt_is_string(to) && dt_resolve(to)->kind != DT_T_ARRAY &&
	    !dt_resolve(to)->complete)
		dt_fail(c, n->line, D_OP_INCOMPLETE,
			"operator * cannot be applied to a forward declaration: no %s definition "
			"is available",
			dt_type_name(c, to));
	n->type = to;
	if (dt_resolve(to)->kind != DT_T_ARRAY)
		n->flags |= DT_NF_LVALUE;
	if (!(n->a->flags & DT_NF_USER) && t->kind != DT_T_STRING)
		n->flags |= DT_NF_WRITABLE;
	n->flags |= n->a->flags & DT_NF_USER;
}

static void check_addr(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *a = n->a;

	if (a->kind == DT_N_VAR || a->kind == DT_N_AGG || a->kind == DT_N_ARG)
		dt_fail(c, n->line, D_ADDROF_VAR, "cannot take address of dynamic variable");
	if (a->kind != DT_N_MEMBER && !(a->flags & DT_NF_LVALUE))
		dt_fail(c, n->line, D_ADDROF_LVAL, "unacceptable operand for unary & operator");
	if (a->kind == DT_N_MEMBER && a->member->bits)
		dt_fail(c, n->line, D_ADDROF_BITFIELD, "cannot take address of bit-field");
	n->type = dt_type_ptr(c, a->type);
	n->flags |= a->flags & DT_NF_USER;
}

static struct dt_node *check_unary(struct dt_cc *c, struct dt_node *n)
{
	const char *name = dt_op_name((enum dt_op)n->op);

	n->a = dt_check(c, n->a);
	switch ((int)n->op) {
	case DT_OP_DEREF:
		check_deref(c, n);
		return n;
	case DT_OP_ADDR:
		check_addr(c, n);
		return n;
	case DT_OP_NEG:
	case DT_OP_PLUS:
		if (!dt_is_int(n->a->type))
			dt_fail(c, n->line, D_OP_ARITH,
				"operator %s requires an operand of arithmetic type", name);
		n->type = dt_type_promote(c, n->a->type);
		break;
	case DT_OP_BNOT:
		need_int(c, n);
		n->type = dt_type_promote(c, n->a->type);
		break;
	case DT_OP_LNOT:
		if (!dt_is_scalar(n->a->type))
			dt_fail(c, n->line, D_OP_SCALAR,
				"operator %s requires an operand of scalar type", name);
		n->type = c->p->t_int;
		break;
	case DT_OP_STRINGOF:
		if (!dt_is_scalar(n->a->type) && !dt_is_ptr(n->a->type) && !dt_is_string(n->a->type))
			dt_fail(c, n->line, D_STRINGOF_TYPE,
				"cannot apply stringof to a value of type %s",
				dt_type_name(c, n->a->type));
		n->type = c->p->t_string;
		if (dt_is_string(n->a->type))
			return n->a;
		return n;
	default:
		break;
	}
	return dt_fold(c, n);
}

static struct dt_node *check_cast(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *to = n->ctype, *from;

	n->a = dt_check(c, n->a);
	from = n->a->type;
	n->type = to;
	n->flags |= n->a->flags & DT_NF_USER;
	if (dt_is_dyn(from) || (dt_is_void(from) && !dt_is_void(to)) ||
	    !(dt_type_same(to, from) || dt_is_void(to) || (dt_is_scalar(to) && dt_is_scalar(from)) ||
	      (dt_resolve(to)->kind == DT_T_PTR && (dt_is_ptr(from) || dt_is_string(from))) ||
	      (dt_is_string(to) && (dt_is_scalar(from) || dt_is_ptr(from)))))
		dt_fail(c, n->line, D_CAST_INVAL, "invalid cast expression: \"%s\" to \"%s\"",
			dt_type_name(c, from), dt_type_name(c, to));
	if (dt_resolve(to)->kind == DT_T_ENUM && !dt_resolve(to)->complete)
		dt_fail(c, n->line, D_OP_INCOMPLETE, "cast to an incomplete type: %s",
			dt_type_name(c, to));
	return dt_fold(c, n);
}

static bool is_action(const struct dt_node *n)
{
	return n->kind == DT_N_CALL && n->id->kind != DT_ID_FUNC;
}

/* Two pointers of one ?: point both into the guest or both into the program's own memory. Objects of the guest are copied in
 * where the other one is the program's. */
static void cond_user(struct dt_cc *c, struct dt_node *n)
{
	unsigned b = n->b->flags & DT_NF_USER, k = n->c->flags & DT_NF_USER;

	if (dt_is_byref(n->type)) {
		n->flags |= b & k;
		return;
	}
	if (!dt_is_ptr(n->type))
		return;
	if (b != k && !dt_is_zero(n->b) && !dt_is_zero(n->c))
		dt_fail(c, n->line, D_OP_INCOMPAT,
			"operator ?: operands must both point into the traced process, or neither");
	n->flags |= b | k;
}

static struct dt_node *check_cond(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *tb, *tc;

	n->a = dt_check(c, n->a);
	n->b = dt_check_stmt(c, n->b);
	n->c = dt_check_stmt(c, n->c);
	if (is_action(n->b) || is_action(n->c))
		dt_fail(c, n->line, D_OP_ACT, "action cannot be used in a conditional context");
	tb = n->b->type;
	tc = n->c->type;
	if (!dt_is_scalar(n->a->type))
		dt_fail(c, n->line, D_OP_SCALAR, "operator ?: expression must be of scalar type");
	if (dt_is_dyn(tb) || dt_is_dyn(tc))
		dt_fail(c, n->line, D_OP_DYN, "operator ?: operands cannot be of dynamic type");
	if (dt_is_int(tb) && dt_is_int(tc))
		n->type = dt_type_arith(c, tb, tc);
	else if ((dt_is_string(tb) || dt_is_string(tc)) && (dt_is_strcompat(tb) || dt_is_zero(n->b)) &&
		 (dt_is_strcompat(tc) || dt_is_zero(n->c)))
		n->type = c->p->t_string;
	else if (dt_type_same(tb, tc))
		n->type = tb;
	else if (dt_ptrcompat(n->b, n->c))
		n->type = !dt_is_ptr(tb) || (dt_is_ptr(tc) && dt_is_void(dt_pointee(tb))) ? tc : tb;
	else
		dt_fail(c, n->line, D_OP_INCOMPAT, "operator ?: operands must have compatible types");
	if (dt_resolve(n->type)->kind == DT_T_ARRAY)
		n->type = dt_type_ptr(c, dt_pointee(n->type));
	cond_user(c, n);
	return dt_fold(c, n);
}

static struct dt_node *check_sizeof(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *t = n->ctype;
	uint64_t size;

	if (n->a) {
		n->a = dt_check(c, n->a);
		t = n->a->type;
		if (n->a->kind == DT_N_MEMBER && n->a->member->bits)
			dt_fail(c, n->line, D_SIZEOF_BITFIELD, "cannot apply sizeof to a bit-field");
	}
	if (n->a && n->a->kind == DT_N_STRING)
		size = n->a->len + 1;
	else if (dt_is_string(t))
		size = dt_strsize(c);
	else
		size = dt_is_dyn(t) ? 0 : dt_type_size(t);
	if (!size)
		dt_fail(c, n->line, D_SIZEOF_TYPE, "cannot apply sizeof to an operand of unknown size");
	return dt_node_int(c, (int64_t)size, c->p->t_size, n->line);
}

static struct dt_node *check_offsetof(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *t = dt_resolve(n->ctype);
	struct dt_member *m;
	uint32_t off = 0;

	if (t->kind != DT_T_STRUCT && t->kind != DT_T_UNION)
		dt_fail(c, n->line, D_OFFSETOF_TYPE, "offsetof operand must be a struct or union type");
	m = dt_type_member(t, n->str, &off);
	if (!m)
		dt_fail(c, n->line, D_TYPE_MEMBER, "%s is not a member of %s", n->str,
			dt_type_name(c, n->ctype));
	if (m->bits)
		dt_fail(c, n->line, D_OFFSETOF_BITFIELD, "cannot take offset of a bit-field: %s",
			n->str);
	return dt_node_int(c, off, c->p->t_size, n->line);
}

static struct dt_node *check_comma(struct dt_cc *c, struct dt_node *n)
{
	n->a = dt_check_stmt(c, n->a);
	n->b = dt_check_stmt(c, n->b);
	if (is_action(n->a) || is_action(n->b))
		dt_fail(c, n->line, D_OP_ACT, "operator , operands cannot be actions");
	if (dt_is_dyn(n->a->type) || dt_is_dyn(n->b->type))
		dt_fail(c, n->line, D_OP_DYN, "operator , operands cannot be of dynamic type");
	n->type = n->b->type;
	n->flags |= n->b->flags & DT_NF_USER;
	return n;
}

static void tuple_flag(struct dt_node *n)
{
	struct dt_node *l;

	n->flags |=
		((n->a ? n->a->flags : 0) | (n->b ? n->b->flags : 0) | (n->c ? n->c->flags : 0)) &
		DT_NF_TUPLE;
	for (l = n->list; l; l = l->next)
		n->flags |= l->flags & DT_NF_TUPLE;
	if (n->list && n->kind != DT_N_CALL)
		n->flags |= DT_NF_TUPLE;
}

static struct dt_node *check_any(struct dt_cc *c, struct dt_node *n)
{
	switch ((enum dt_nkind)n->kind) {
	case DT_N_INT:
		return n;
	case DT_N_STRING:
		n->type = c->p->t_string;
		return n;
	case DT_N_IDENT:
	case DT_N_VAR:
	case DT_N_ARG:
		return dt_check_var(c, n, false);
	case DT_N_AGG:
		if (n->a)
			dt_check_agg(c, n);
		else
			n->type = c->p->t_dyn;
		return n;
	case DT_N_CALL:
		dt_check_call(c, n);
		return n;
	case DT_N_UNARY:
		return check_unary(c, n);
	case DT_N_BINARY:
		return check_binary(c, n);
	case DT_N_ASSIGN:
		return dt_check_assign(c, n);
	case DT_N_INCDEC:
		return dt_check_incdec(c, n);
	case DT_N_COND:
		return check_cond(c, n);
	case DT_N_CAST:
		return check_cast(c, n);
	case DT_N_SIZEOF:
		return check_sizeof(c, n);
	case DT_N_OFFSETOF:
		return check_offsetof(c, n);
	case DT_N_INDEX:
		return dt_check_index(c, n);
	case DT_N_MEMBER:
		return dt_check_member(c, n);
	case DT_N_XLATE:
		return dt_check_xlate(c, n);
	case DT_N_COMMA:
		return check_comma(c, n);
	}
	return n;
}

struct dt_node *dt_check_stmt(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *next = n->next, *r = check_any(c, n);

	tuple_flag(r);
	if (r != n && next)
		r->next = next;
	return r;
}

struct dt_node *dt_check(struct dt_cc *c, struct dt_node *n)
{
	n = dt_check_stmt(c, n);
	if (n->kind == DT_N_CALL && n->id->kind != DT_ID_FUNC)
		dt_fail(c, n->line, D_CG_EXPR,
			"%s %s( ) may not be called from a D expression (D program context "
			"required)",
			dt_idkind_name((enum dt_idkind)n->id->kind), n->id->name);
	if (n->kind == DT_N_AGG && n->a)
		dt_fail(c, n->line, D_CG_DYN,
			"aggregation assignment may not be used in an expression");
	return n;
}

void dt_check_list(struct dt_cc *c, struct dt_node **list)
{
	for (; *list; list = &(*list)->next) {
		struct dt_node *next = (*list)->next, *n = dt_check(c, *list);

		n->next = next;
		*list = n;
	}
}
