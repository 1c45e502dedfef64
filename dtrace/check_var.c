/* Checking of names, tuples, assignments and members: where variables come into being and get their types. */
#include "dtrace/dt_impl.h"

#include <string.h>

static const char *scope_prefix(uint64_t scope)
{
	return scope == DVM_THREAD ? "self->" : scope == DVM_LOCAL ? "this->" : "";
}

static void unknown_name(struct dt_cc *c, const struct dt_node *n)
{
	if (n->val)
		dt_fail(c, n->line, D_VAR_UNDEF, "%s%s has not yet been declared or assigned",
			scope_prefix(n->val), n->str);
	if (strchr(n->str, '`'))
		dt_fail(c, n->line, D_IDENT_UNDEF,
			"failed to resolve %s: No symbols of that scope are known", n->str);
	dt_fail(c, n->line, D_IDENT_UNDEF, "failed to resolve %s: Unknown variable name", n->str);
}

/* Types a variable reference whose identifier is known. */
static struct dt_node *typed_var(struct dt_cc *c, struct dt_node *n)
{
	struct dt_ident *id = n->id;

	if (!id->type)
		dt_fail(c, n->line, D_VAR_UNDEF, "%s%s has not yet been declared or assigned",
			scope_prefix(id->scope), id->name);
	n->type = id->type;
	if (id->kind == DT_ID_SCALAR || id->kind == DT_ID_ARRAY) {
		n->flags |= DT_NF_LVALUE | DT_NF_WRITABLE;
		if (id->user) {
			n->flags |= DT_NF_USER;
			n->type = dt_type_in_clause(c, id->type);
		}
	} else {
		n->flags |= DT_NF_LVALUE;
	}
	return n;
}

/* The type of args[n] for one probe, NULL if it has no such argument. */
static struct dt_type *arg_type(struct dt_cc *c, const struct dt_node *n, const struct dt_probe *p)
{
	const char *text = p->provider && p->provider->argtype
				   ? p->provider->argtype(p, (unsigned)n->val)
				   : NULL;
	struct dt_type *t;

	if (!text)
		return NULL;
	t = dt_type_lookup_abi(c, (enum lx_abi)p->abi, text);
	if (!t)
		dt_fail(c, n->line, D_ARGS_TYPE, "failed to resolve native type for args[%llu]: %s",
			(unsigned long long)n->val, text);
	return t;
}

/* Pointers to one structure in two layouts? */
static bool abi_differ(struct dt_type *a, struct dt_type *b)
{
	a = dt_resolve(dt_pointee(a));
	b = dt_resolve(dt_pointee(b));
	return a && a->abi[0] != a->abi[1] && a != b;
}

/* args[n]: the type comes from the provider, and must be the same for every probe that the description matches. Where only
 * the ABIs disagree, the clause is compiled once for each (dt_gen_clause()). */
static struct dt_node *check_args(struct dt_cc *c, struct dt_node *n)
{
	struct dt_type *first = NULL, *t;
	uint32_t i;

	if (!c->in_clause)
		dt_fail(c, n->line, D_ARGS_NONE,
			"args[ ] may not be referenced outside of a probe clause");
	for (i = 0; i < c->nprobe; i++) {
		t = arg_type(c, n, c->probe[i]);
		if (i && !(t && first ? dt_type_same(t, first) && !abi_differ(t, first) : t == first)) {
			if (c->probe[i]->abi != c->probe[0]->abi && t && first) {
				c->abi_matters = true;
				continue;
			}
			dt_fail(c, n->line, D_ARGS_MULTI,
				"args[ ] may not be referenced because probe description %s "
				"matches an unstable "
				"set of probes",
				c->desctext);
		}
		if (!i)
			first = t;
	}
	if (c->nprobe && (!first || n->val >= DVM_MAXARGS))
		dt_fail(c, n->line, D_ARGS_IDX, "index %llu is out of range for %s args[ ]",
			(unsigned long long)n->val, c->desctext);
	n->type = first ? first : c->p->t_int64;
	n->flags |= DT_NF_LVALUE;
	if (dt_is_ptr(n->type))
		n->flags |= DT_NF_USER;
	return n;
}

struct dt_node *dt_check_var(struct dt_cc *c, struct dt_node *n, bool create)
{
	struct dt_ident *id = n->id;

	if (n->kind == DT_N_ARG)
		return check_args(c, n);
	if (n->kind == DT_N_IDENT)
		id = dt_map_get(dt_scope_map(c, (enum dvm_scope)n->val), n->str);
	if (!id) {
		if (!create || strchr(n->str, '`'))
			unknown_name(c, n);
		id = dt_var_new(c, (enum dvm_scope)n->val, n->str, false, n->line);
	}
	switch ((enum dt_idkind)id->kind) {
	case DT_ID_CONST:
		return dt_node_int(c, id->value, id->type, n->line);
	case DT_ID_INLINE:
		return dt_check_inline(c, id, NULL, n->line);
	case DT_ID_SCALAR:
	case DT_ID_BUILTIN:
		break;
	case DT_ID_ARRAY:
		if (n->kind == DT_N_VAR && n->list) {
			n->id = id;
			dt_check_keys(c, n, id, "");
			break;
		}
		/* fall through */
	case DT_ID_ARGS:
	case DT_ID_FUNC:
	case DT_ID_ACT:
	case DT_ID_AGGFUNC:
	case DT_ID_AGG:
		dt_fail(c, n->line, D_IDENT_BADREF, "%s '%s' may not be referenced as scalar",
			dt_idkind_name((enum dt_idkind)id->kind), id->name);
	}
	n->kind = DT_N_VAR;
	n->id = id;
	if (create && !id->type)
		return n;
	return typed_var(c, n);
}

/* a[list] where a is a name that may be, or become, an associative array; NULL if it is something else. */
static struct dt_node *assoc_ref(struct dt_cc *c, struct dt_node *n, bool create)
{
	struct dt_ident *id = dt_map_get(dt_scope_map(c, (enum dvm_scope)n->a->val), n->a->str);

	if (!id) {
		if (n->a->val == DVM_LOCAL)
			dt_fail(c, n->line, D_ARR_LOCAL,
				"local variables may not be used as associative arrays: %s",
				n->a->str);
		if (!create || strchr(n->a->str, '`'))
			unknown_name(c, n->a);
		id = dt_var_new(c, (enum dvm_scope)n->a->val, n->a->str, true, n->line);
	}
	if (id->kind == DT_ID_ARGS) {
		dt_check_list(c, &n->list);
		if (n->list->next)
			dt_fail(c, n->line, D_PROTO_LEN,
				"args[ ] prototype mismatch: 2 args passed, 1 expected");
		if (n->list->kind != DT_N_INT)
			dt_fail(c, n->line, D_PROTO_ARG,
				"args[ ] argument #1 is incompatible with prototype:\n\tprototype: "
				"integer constant\n"
				"\t argument: %s",
				dt_type_name(c, n->list->type));
		n->kind = DT_N_ARG;
		n->val = n->list->val;
		n->a = n->list = NULL;
		return check_args(c, n);
	}
	if (id->kind == DT_ID_INLINE && id->nkey)
		return dt_check_inline(c, id, n->list, n->line);
	if (id->kind == DT_ID_FUNC || id->kind == DT_ID_ACT || id->kind == DT_ID_AGGFUNC)
		dt_fail(c, n->line, D_IDENT_BADREF,
			"%s '%s' may not be referenced as associative array",
			dt_idkind_name((enum dt_idkind)id->kind), id->name);
	if (id->kind != DT_ID_ARRAY)
		return NULL;
	n->kind = DT_N_VAR;
	n->str = n->a->str;
	n->val = n->a->val;
	n->id = id;
	n->a = NULL;
	dt_check_keys(c, n, id, "");
	return create && !id->type ? n : typed_var(c, n);
}

static struct dt_node *check_index(struct dt_cc *c, struct dt_node *n, bool create)
{
	struct dt_node *sum, *r;

	if (n->a->kind == DT_N_AGG) {
		if (n->a->list)
			dt_fail(c, n->line, D_AGG_MDIM,
				"improper attempt to reference @%s as a multi-dimensional array",
				n->a->str);
		r = n->a;
		r->list = n->list;
		r->type = c->p->t_dyn;
		dt_node_depth(c, r);
		return r;
	}
	if (n->a->kind == DT_N_IDENT) {
		r = assoc_ref(c, n, create);
		if (r)
			return r;
	}
	n->a = dt_check(c, n->a);
	if (n->a->kind == DT_N_AGG)
		dt_fail(c, n->line, D_AGG_MDIM,
			"improper attempt to reference @%s as a multi-dimensional array",
			n->a->str);
	if (n->list->next)
		dt_fail(c, n->line, D_ARR_BADREF, "cannot access %s as an associative array",
			n->a->str ? n->a->str : "expression");
	sum = dt_node_new(c, DT_N_BINARY, n->line);
	sum->op = DT_OP_ADD;
	sum->a = n->a;
	sum->b = n->list;
	sum->b->next = NULL;
	dt_node_depth(c, sum);
	n->kind = DT_N_UNARY;
	n->op = DT_OP_DEREF;
	n->a = sum;
	n->list = NULL;
	return dt_check_stmt(c, n);
}

struct dt_node *dt_check_index(struct dt_cc *c, struct dt_node *n)
{
	return check_index(c, n, false);
}

struct dt_node *dt_check_member(struct dt_cc *c, struct dt_node *n)
{
	const char *op = dt_op_name((enum dt_op)n->op);
	struct dt_type *t;
	uint32_t off = 0;

	if (n->a->kind == DT_N_UNARY && n->a->op == DT_OP_DEREF && n->a->a->kind == DT_N_XLATE)
		n->a = n->a->a;
	if (n->a->kind != DT_N_XLATE)
		n->a = dt_check(c, n->a);
	if (n->a->kind == DT_N_XLATE)
		return dt_check_xlate(c, n);
	t = dt_resolve(n->a->type);
	if (n->op == DT_OP_ARROW) {
		if (!dt_is_ptr(t))
			dt_fail(c, n->line, D_OP_PTR, "operator %s must be applied to a pointer", op);
		t = dt_resolve(t->ref);
	}
	if (t->kind != DT_T_STRUCT && t->kind != DT_T_UNION) {
		if (n->op == DT_OP_ARROW)
			dt_fail(c, n->line, D_OP_SOU,
				"operator -> cannot be applied to pointer to type \"%s\"; must be "
				"applied to a struct or "
				"union pointer",
				dt_type_name(c, t));
		dt_fail(c, n->line, D_OP_SOU,
			"operator %s cannot be applied to type \"%s\"; must be applied to a struct "
			"or union",
			op, dt_type_name(c, t));
	}
	if (!t->complete)
		dt_fail(c, n->line, D_OP_INCOMPLETE,
			"operator %s cannot be applied to a forward declaration: no %s definition "
			"is available",
			op, dt_type_name(c, t));
	n->member = dt_type_member(t, n->str, &off);
	if (!n->member)
		dt_fail(c, n->line, D_TYPE_MEMBER, "%s is not a member of %s", n->str,
			dt_type_name(c, t));
	n->val = off;
	n->type = n->member->type;
	if (dt_resolve(n->type)->kind != DT_T_ARRAY)
		n->flags |= DT_NF_LVALUE;
	if (n->op == DT_OP_DOT)
		n->flags |= n->a->flags & (DT_NF_WRITABLE | DT_NF_USER);
	else
		n->flags |= n->a->flags & DT_NF_USER ? DT_NF_USER : DT_NF_WRITABLE;
	return n;
}

/* The left side of an assignment: names may come into being. */
static struct dt_node *check_place(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *r;

	if (n->kind == DT_N_IDENT || (n->kind == DT_N_VAR && !n->list)) {
		r = dt_check_var(c, n, true);
	} else if (n->kind == DT_N_INDEX) {
		r = check_index(c, n, true);
	} else if (n->kind == DT_N_VAR && !n->id->type) {
		dt_check_keys(c, n, n->id, "");
		r = n;
	} else {
		r = dt_check_stmt(c, n);
	}
	if (r->kind == DT_N_VAR && r->list)
		r->flags |= DT_NF_TUPLE;
	return r;
}

static void need_place(struct dt_cc *c, struct dt_node *n, const char *op)
{
	struct dt_type *t = dt_resolve(n->a->type);

	if (t->kind == DT_T_ARRAY || t->kind == DT_T_FUNC)
		dt_fail(c, n->line, D_OP_ARRFUN,
			"operator %s may not be applied to operand of type \"%s\"", op,
			dt_type_name(c, n->a->type));
	if (!(n->a->flags & DT_NF_LVALUE))
		dt_fail(c, n->line, D_OP_LVAL,
			"operator %s requires modifiable lvalue as an operand", op);
	if (!(n->a->flags & DT_NF_WRITABLE) || (t->kind == DT_T_STRING && n->a->kind != DT_N_VAR))
		dt_fail(c, n->line, D_OP_WRITE,
			"operator %s can only be applied to a writable variable", op);
}

/* The type a variable gets from the first value assigned to it: an array's address is a pointer. */
static struct dt_type *var_type(struct dt_cc *c, struct dt_node *from)
{
	struct dt_type *t = dt_resolve(from->type);

	if (t->kind == DT_T_ARRAY && (from->flags & DT_NF_USER))
		return dt_type_ptr(c, t->ref);
	return from->type;
}

/* A pointer variable points into the traced process or into the program's own memory: the first pointer assigned decides,
 * and how it is followed depends on it. */
static void pointer_kind(struct dt_cc *c, struct dt_node *n)
{
	bool user = n->b->flags & DT_NF_USER;
	struct dt_ident *id = n->a->id;

	if (n->a->kind != DT_N_VAR || dt_resolve(n->a->type)->kind != DT_T_PTR || dt_is_int(n->b->type))
		return;
	if (!id->pointed)
		id->user = user;
	else if (id->user != user)
		dt_fail(c, n->line, D_OP_INCOMPAT,
			"%s%s holds pointers into the traced process and into the program's own memory",
			scope_prefix(id->scope), id->name);
	id->pointed = true;
	if (user)
		n->a->flags |= DT_NF_USER;
}

static void compound(struct dt_cc *c, struct dt_node *n, const char *op)
{
	struct dt_type *ta = n->a->type, *tb = n->b->type;

	switch ((int)n->op) {
	case DT_OP_ADD:
	case DT_OP_SUB:
		if (dt_is_string(ta) || dt_is_string(tb))
			dt_fail(c, n->line, D_OP_INCOMPAT,
				"operands have incompatible types: \"%s\" %s \"%s\"",
				dt_type_name(c, ta), op, dt_type_name(c, tb));
		if (dt_is_int(ta) && dt_is_int(tb))
			break;
		if (!dt_is_ptr(ta) || dt_is_vfptr(ta) || !dt_type_size(dt_pointee(ta)))
			dt_fail(c, n->line, D_OP_VFPTR,
				"operator %s requires left-hand scalar operand of known size", op);
		if (!dt_is_int(tb))
			dt_fail(c, n->line, D_OP_INCOMPAT,
				"operands have incompatible types: \"%s\" %s \"%s\"",
				dt_type_name(c, ta), op, dt_type_name(c, tb));
		n->ctype = NULL; /* pointer arithmetic */
		return;
	case DT_OP_MUL:
	case DT_OP_DIV:
		if (!dt_is_int(ta) || !dt_is_int(tb))
			dt_fail(c, n->line, D_OP_ARITH,
				"operator %s requires operands of arithmetic type", op);
		break;
	default:
		if (!dt_is_int(ta) || !dt_is_int(tb))
			dt_fail(c, n->line, D_OP_INT,
				"operator %s requires operands of integral type", op);
		break;
	}
	if (dt_is_zero(n->b) && (n->op == DT_OP_DIV || n->op == DT_OP_MOD))
		dt_fail(c, n->line, D_DIV_ZERO, "expression contains division by zero");
	n->ctype = n->op == DT_OP_SHL || n->op == DT_OP_SHR ? dt_type_promote(c, ta)
							    : dt_type_arith(c, ta, tb);
}

struct dt_node *dt_check_assign(struct dt_cc *c, struct dt_node *n)
{
	static const char *const names[] = {
		[DT_OP_ASSIGN] = "=", [DT_OP_ADD] = "+=", [DT_OP_SUB] = "-=", [DT_OP_MUL] = "*=", [DT_OP_DIV] = "/=", [DT_OP_MOD] = "%=",
		[DT_OP_AND] = "&=", [DT_OP_OR] = "|=", [DT_OP_XOR] = "^=", [DT_OP_SHL] = "<<=", [DT_OP_SHR] = ">>=",
	};
	const char *op = names[n->op];

	n->a = check_place(c, n->a);
	if (n->a->kind == DT_N_AGG) {
		if (n->a->a && n->a->a != n->b)
			dt_fail(c, n->line, D_OP_LVAL,
				"operator = requires modifiable lvalue as an operand");
		if (n->op != DT_OP_ASSIGN)
			dt_fail(c, n->line, D_AGG_FUNC,
				"@%s must be assigned the result of an aggregating function",
				n->a->str);
		n->a->a = n->b;
		dt_check_agg(c, n->a);
		return n->a;
	}
	n->b = dt_check(c, n->b);
	if (n->a->kind == DT_N_VAR && !n->a->id->type) {
		struct dt_ident *id = n->a->id;

		if (n->op != DT_OP_ASSIGN) {
			dt_var_settype(c, id, c->p->t_int64);
		} else {
			if (dt_is_dyn(n->b->type) || dt_is_void(n->b->type))
				dt_fail(c, n->line, D_OP_INCOMPAT,
					"operands have incompatible types: \"%s\" = \"%s\"",
					dt_type_name(c, c->p->t_dyn), dt_type_name(c, n->b->type));
			dt_var_settype(c, id, var_type(c, n->b));
		}
		n->a->type = id->type;
		n->a->flags |= DT_NF_LVALUE | DT_NF_WRITABLE;
	}
	if (n->op != DT_OP_ASSIGN) {
		compound(c, n, op);
	} else {
		need_place(c, n, op);
		if (!dt_argcompat(n->a->type, n->b))
			dt_fail(c, n->line, D_OP_INCOMPAT,
				"operands have incompatible types: \"%s\" %s \"%s\"",
				dt_type_name(c, n->a->type), op, dt_type_name(c, n->b->type));
	}
	need_place(c, n, op);
	if (n->op == DT_OP_ASSIGN)
		pointer_kind(c, n);
	n->type = n->a->type;
	n->flags |= n->a->flags & DT_NF_USER;
	return n;
}

struct dt_node *dt_check_incdec(struct dt_cc *c, struct dt_node *n)
{
	const char *op = n->op == DT_OP_ADD ? "++" : "--";

	n->a = check_place(c, n->a);
	if (n->a->kind == DT_N_VAR && !n->a->id->type) {
		dt_var_settype(c, n->a->id, c->p->t_int64);
		n->a->type = c->p->t_int64;
		n->a->flags |= DT_NF_LVALUE | DT_NF_WRITABLE;
	}
	if (!dt_is_scalar(n->a->type))
		dt_fail(c, n->line, D_OP_SCALAR, "operator %s requires operand of scalar type", op);
	if (dt_is_vfptr(n->a->type))
		dt_fail(c, n->line, D_OP_VFPTR, "operator %s requires an operand of known size", op);
	need_place(c, n, op);
	n->type = n->a->type;
	n->flags |= n->a->flags & DT_NF_USER;
	return n;
}
