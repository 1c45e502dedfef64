/* Expressions: C's operators and precedence, with ^^ between && and ||, stringof, xlate, and D's tuples in brackets. */
#include "dtrace/dt_impl.h"

#include <string.h>

struct dt_node *dt_node_new(struct dt_cc *c, enum dt_nkind kind, uint32_t line)
{
	struct dt_node *n = dt_alloc(c, sizeof(*n));

	n->kind = (uint8_t)kind;
	n->line = line;
	return n;
}

struct dt_node *dt_node_int(struct dt_cc *c, int64_t v, struct dt_type *t, uint32_t line)
{
	struct dt_node *n = dt_node_new(c, DT_N_INT, line);

	n->val = (uint64_t)v;
	n->type = t;
	return n;
}

void dt_node_depth(struct dt_cc *c, struct dt_node *n)
{
	unsigned d = 0;
	struct dt_node *l;

	if (n->a && n->a->depth > d)
		d = n->a->depth;
	if (n->b && n->b->depth > d)
		d = n->b->depth;
	if (n->c && n->c->depth > d)
		d = n->c->depth;
	for (l = n->list; l; l = l->next)
		if (l->depth > d)
			d = l->depth;
	if (d >= DT_MAXDEPTH)
		dt_fail(c, n->line, D_SYNTAX,
			"expression is too complex (more than %d operators inside each other)",
			DT_MAXDEPTH);
	n->depth = (uint16_t)(d + 1);
}

static struct dt_node *parse_unary(struct dt_cc *c);
static struct dt_node *parse_cond(struct dt_cc *c);

static struct dt_node *node1(struct dt_cc *c, enum dt_nkind kind, enum dt_op op, struct dt_node *a,
			     uint32_t line)
{
	struct dt_node *n = dt_node_new(c, kind, line);

	n->op = (uint8_t)op;
	n->a = a;
	dt_node_depth(c, n);
	return n;
}

static struct dt_node *node2(struct dt_cc *c, enum dt_nkind kind, enum dt_op op, struct dt_node *a,
			     struct dt_node *b, uint32_t line)
{
	struct dt_node *n = dt_node_new(c, kind, line);

	n->op = (uint8_t)op;
	n->a = a;
	n->b = b;
	dt_node_depth(c, n);
	return n;
}

/* The type of an integer constant: the first that holds it of those C allows for its base and suffix. */
static struct dt_type *int_type(struct dt_cc *c, const struct dt_token *t)
{
	struct dt_prog *p = c->p;
	bool may_u = t->has_u || !t->decimal;

	if (!t->longs) {
		if (!t->has_u && t->val <= INT32_MAX)
			return p->t_int;
		if (may_u && t->val <= UINT32_MAX)
			return p->t_uint;
	}
	if (!t->has_u && t->val <= INT64_MAX)
		return t->longs == 2 ? dt_map_get(&p->types, "long long") : p->t_long;
	return t->longs == 2 ? dt_map_get(&p->types, "unsigned long long") : p->t_ulong;
}

/* Expressions separated by commas, up to the closing token, which is taken. */
static struct dt_node *parse_list(struct dt_cc *c, enum dt_tkn close)
{
	struct dt_node *first = NULL, **end = &first;

	if (dt_accept(c, close))
		return NULL;
	do {
		*end = dt_parse_assign(c);
		end = &(*end)->next;
	} while (dt_accept(c, DT_TK_COMMA));
	dt_expect(c, close);
	return first;
}

static const char *member_name(struct dt_cc *c)
{
	const char *s = c->tok.text;

	if (c->tok.kind != DT_TK_IDENT)
		dt_syntax(c);
	dt_lex(c);
	return s;
}

static struct dt_node *parse_self(struct dt_cc *c)
{
	struct dt_node *n = dt_node_new(c, DT_N_IDENT, c->tok.line);

	n->val = c->tok.kw == DT_KW_SELF ? DVM_THREAD : DVM_LOCAL;
	dt_lex(c);
	dt_expect(c, DT_TK_ARROW);
	n->str = member_name(c);
	dt_node_depth(c, n);
	return n;
}

static struct dt_node *parse_xlate(struct dt_cc *c)
{
	struct dt_node *n = dt_node_new(c, DT_N_XLATE, c->tok.line);

	dt_lex(c);
	dt_expect(c, DT_TK_LT);
	n->ctype = dt_parse_typename(c);
	dt_expect(c, DT_TK_GT);
	dt_expect(c, DT_TK_LPAR);
	n->a = dt_parse_expr(c);
	dt_expect(c, DT_TK_RPAR);
	dt_node_depth(c, n);
	return n;
}

static struct dt_node *parse_offsetof(struct dt_cc *c)
{
	struct dt_node *n = dt_node_new(c, DT_N_OFFSETOF, c->tok.line);

	dt_lex(c);
	dt_expect(c, DT_TK_LPAR);
	n->ctype = dt_parse_typename(c);
	dt_expect(c, DT_TK_COMMA);
	n->str = member_name(c);
	dt_expect(c, DT_TK_RPAR);
	dt_node_depth(c, n);
	return n;
}

static struct dt_node *parse_primary(struct dt_cc *c)
{
	uint32_t line = c->tok.line;
	struct dt_node *n;

	switch ((int)c->tok.kind) {
	case DT_TK_INT:
		n = dt_node_int(c, (int64_t)c->tok.val, int_type(c, &c->tok), line);
		if (c->tok.neg)
			n->val = (uint64_t)dt_type_convert(n->type, (int64_t)-n->val);
		break;
	case DT_TK_STRING:
		n = dt_node_new(c, DT_N_STRING, line);
		n->str = c->tok.text;
		n->len = c->tok.len;
		break;
	case DT_TK_AGG:
		n = dt_node_new(c, DT_N_AGG, line);
		n->str = c->tok.text;
		break;
	case DT_TK_IDENT:
		if (c->tok.kw == DT_KW_SELF || c->tok.kw == DT_KW_THIS)
			return parse_self(c);
		if (c->tok.kw == DT_KW_XLATE)
			return parse_xlate(c);
		if (c->tok.kw == DT_KW_OFFSETOF)
			return parse_offsetof(c);
		if (c->tok.kw)
			dt_syntax(c);
		n = dt_node_new(c, DT_N_IDENT, line);
		n->str = c->tok.text;
		break;
	default:
		dt_syntax(c);
	}
	dt_lex(c);
	dt_node_depth(c, n);
	return n;
}

static struct dt_node *parse_postfix(struct dt_cc *c, struct dt_node *n)
{
	for (;;) {
		uint32_t line = c->tok.line;
		struct dt_node *r;

		switch ((int)c->tok.kind) {
		case DT_TK_LPAR:
			if (n->kind != DT_N_IDENT || n->val)
				dt_fail(c, line, D_FUNC_IDENT,
					"function designator is not of function type");
			dt_nest(c);
			dt_lex(c);
			r = dt_node_new(c, DT_N_CALL, n->line);
			r->str = n->str;
			r->list = parse_list(c, DT_TK_RPAR);
			c->nest--;
			dt_node_depth(c, r);
			break;
		case DT_TK_LBRAC:
			dt_nest(c);
			dt_lex(c);
			r = dt_node_new(c, DT_N_INDEX, line);
			r->a = n;
			r->list = parse_list(c, DT_TK_RBRAC);
			c->nest--;
			if (!r->list)
				dt_fail(c, line, D_SYNTAX, "syntax error near \"]\"");
			dt_node_depth(c, r);
			break;
		case DT_TK_DOT:
		case DT_TK_ARROW:
			r = node1(c, DT_N_MEMBER,
				  c->tok.kind == DT_TK_DOT ? DT_OP_DOT : DT_OP_ARROW, n, line);
			dt_lex(c);
			r->str = member_name(c);
			break;
		case DT_TK_INC:
		case DT_TK_DEC:
			r = node1(c, DT_N_INCDEC, c->tok.kind == DT_TK_INC ? DT_OP_ADD : DT_OP_SUB,
				  n, line);
			r->val = 1;
			dt_lex(c);
			break;
		default:
			return n;
		}
		n = r;
	}
}

static struct dt_node *parse_sizeof(struct dt_cc *c, uint32_t line)
{
	struct dt_node *n = dt_node_new(c, DT_N_SIZEOF, line), *in;

	dt_lex(c);
	if (c->tok.kind == DT_TK_LPAR) {
		dt_lex(c);
		if (dt_parse_is_type(c)) {
			n->ctype = dt_parse_typename(c);
			dt_expect(c, DT_TK_RPAR);
			dt_node_depth(c, n);
			return n;
		}
		dt_nest(c);
		in = dt_parse_expr(c);
		c->nest--;
		dt_expect(c, DT_TK_RPAR);
		n->a = parse_postfix(c, in);
	} else {
		n->a = parse_unary(c);
	}
	dt_node_depth(c, n);
	return n;
}

/* After '(': a cast, or an expression in parentheses. */
static struct dt_node *parse_paren(struct dt_cc *c, uint32_t line)
{
	struct dt_node *n;

	dt_nest(c);
	dt_lex(c);
	if (dt_parse_is_type(c)) {
		struct dt_type *t = dt_parse_typename(c);

		dt_expect(c, DT_TK_RPAR);
		n = node1(c, DT_N_CAST, DT_OP_NONE, parse_unary(c), line);
		n->ctype = t;
		c->nest--;
		return n;
	}
	n = dt_parse_expr(c);
	dt_expect(c, DT_TK_RPAR);
	c->nest--;
	return parse_postfix(c, n);
}

static struct dt_node *parse_unary(struct dt_cc *c)
{
	static const struct {
		uint8_t tok, op;
	} ops[] = {
		{ DT_TK_AND, DT_OP_ADDR }, { DT_TK_MUL, DT_OP_DEREF }, { DT_TK_ADD, DT_OP_PLUS }, { DT_TK_SUB, DT_OP_NEG },
		{ DT_TK_BNOT, DT_OP_BNOT }, { DT_TK_NOT, DT_OP_LNOT },
	};
	uint32_t line = c->tok.line;
	struct dt_node *n = NULL;
	enum dt_op op;
	size_t i;

	if (c->tok.kind == DT_TK_LPAR)
		return parse_paren(c, line);
	dt_nest(c);
	for (i = 0; i < sizeof(ops) / sizeof(*ops) && !n; i++) {
		if (c->tok.kind == ops[i].tok) {
			dt_lex(c);
			n = node1(c, DT_N_UNARY, (enum dt_op)ops[i].op, parse_unary(c), line);
		}
	}
	if (n) {
		;
	} else if (c->tok.kind == DT_TK_INC || c->tok.kind == DT_TK_DEC) {
		op = c->tok.kind == DT_TK_INC ? DT_OP_ADD : DT_OP_SUB;
		dt_lex(c);
		n = node1(c, DT_N_INCDEC, op, parse_unary(c), line);
	} else if (c->tok.kind == DT_TK_IDENT && c->tok.kw == DT_KW_SIZEOF) {
		n = parse_sizeof(c, line);
	} else if (c->tok.kind == DT_TK_IDENT && c->tok.kw == DT_KW_STRINGOF) {
		dt_lex(c);
		n = node1(c, DT_N_UNARY, DT_OP_STRINGOF, parse_unary(c), line);
	} else {
		n = parse_postfix(c, parse_primary(c));
	}
	c->nest--;
	return n;
}

static const struct binop {
	uint8_t tok, op, prec;
} binops[] = {
	{ DT_TK_LOR, DT_OP_LOR, 1 }, { DT_TK_LXOR, DT_OP_LXOR, 2 }, { DT_TK_LAND, DT_OP_LAND, 3 }, { DT_TK_OR, DT_OP_OR, 4 },
	{ DT_TK_XOR, DT_OP_XOR, 5 }, { DT_TK_AND, DT_OP_AND, 6 }, { DT_TK_EQ, DT_OP_EQ, 7 }, { DT_TK_NE, DT_OP_NE, 7 },
	{ DT_TK_LT, DT_OP_LT, 8 }, { DT_TK_LE, DT_OP_LE, 8 }, { DT_TK_GT, DT_OP_GT, 8 }, { DT_TK_GE, DT_OP_GE, 8 },
	{ DT_TK_SHL, DT_OP_SHL, 9 }, { DT_TK_SHR, DT_OP_SHR, 9 }, { DT_TK_ADD, DT_OP_ADD, 10 }, { DT_TK_SUB, DT_OP_SUB, 10 },
	{ DT_TK_MUL, DT_OP_MUL, 11 }, { DT_TK_DIV, DT_OP_DIV, 11 }, { DT_TK_MOD, DT_OP_MOD, 11 },
};

static const struct binop *binop(enum dt_tkn k)
{
	size_t i;

	for (i = 0; i < sizeof(binops) / sizeof(*binops); i++)
		if (binops[i].tok == k)
			return &binops[i];
	return NULL;
}

static struct dt_node *parse_binary(struct dt_cc *c, unsigned prec)
{
	struct dt_node *n = parse_unary(c), *r;
	const struct binop *b;

	while ((b = binop((enum dt_tkn)c->tok.kind)) && b->prec >= prec) {
		uint32_t line = c->tok.line;

		dt_lex(c);
		r = parse_binary(c, b->prec + 1u);
		n = node2(c, DT_N_BINARY, (enum dt_op)b->op, n, r, line);
	}
	return n;
}

static struct dt_node *parse_cond(struct dt_cc *c)
{
	struct dt_node *n = parse_binary(c, 1), *r;

	if (c->tok.kind != DT_TK_QUEST)
		return n;
	dt_nest(c);
	r = dt_node_new(c, DT_N_COND, c->tok.line);
	dt_lex(c);
	r->a = n;
	r->b = dt_parse_expr(c);
	dt_expect(c, DT_TK_COLON);
	r->c = parse_cond(c);
	c->nest--;
	dt_node_depth(c, r);
	return r;
}

struct dt_node *dt_parse_assign(struct dt_cc *c)
{
	static const uint8_t ops[] = {
		/* from DT_TK_ASSIGN on */
		DT_OP_ASSIGN, DT_OP_ADD, DT_OP_SUB, DT_OP_MUL, DT_OP_DIV, DT_OP_MOD,
		DT_OP_AND,    DT_OP_OR,	 DT_OP_XOR, DT_OP_SHL, DT_OP_SHR,
	};
	struct dt_node *n = parse_cond(c), *r;
	uint32_t line = c->tok.line;
	enum dt_op op;

	if (c->tok.kind < DT_TK_ASSIGN || c->tok.kind > DT_TK_SHREQ)
		return n;
	op = (enum dt_op)ops[c->tok.kind - DT_TK_ASSIGN];
	dt_nest(c);
	dt_lex(c);
	r = dt_parse_assign(c);
	c->nest--;
	return node2(c, DT_N_ASSIGN, op, n, r, line);
}

struct dt_node *dt_parse_expr(struct dt_cc *c)
{
	struct dt_node *n = dt_parse_assign(c);

	while (c->tok.kind == DT_TK_COMMA) {
		uint32_t line = c->tok.line;

		dt_lex(c);
		n = node2(c, DT_N_COMMA, DT_OP_NONE, n, dt_parse_assign(c), line);
	}
	return n;
}
