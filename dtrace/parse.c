/* The parser's top: clauses with their descriptions, predicates and statements, declarations between them. The whole
 * source is parsed before any clause is compiled, so a name may be declared after its use. */
#include "dtrace/dt_impl.h"

#include <stdlib.h>
#include <string.h>

bool dt_accept(struct dt_cc *c, enum dt_tkn k)
{
	if (c->tok.kind != k)
		return false;
	dt_lex(c);
	return true;
}

void dt_expect(struct dt_cc *c, enum dt_tkn k)
{
	if (!dt_accept(c, k))
		dt_syntax(c);
}

void dt_nest(struct dt_cc *c)
{
	if (++c->nest > DT_MAXNEST)
		dt_fail(c, c->tok.line, D_SYNTAX,
			"program is nested too deeply (more than %d levels)", DT_MAXNEST);
}

static struct dt_stmt *parse_stmt(struct dt_cc *c);

/* Statements up to a closing brace, which stays the current token. The last one may go without its semicolon. */
static struct dt_stmt *parse_stmts(struct dt_cc *c)
{
	struct dt_stmt *first = NULL, **end = &first;

	while (c->tok.kind != DT_TK_RBRACE) {
		*end = parse_stmt(c);
		end = &(*end)->next;
	}
	return first;
}

static struct dt_stmt *parse_block(struct dt_cc *c)
{
	struct dt_stmt *s;

	if (!dt_accept(c, DT_TK_LBRACE))
		return parse_stmt(c);
	s = parse_stmts(c);
	dt_lex(c);
	return s;
}

static struct dt_stmt *parse_if(struct dt_cc *c, struct dt_stmt *s)
{
	s->kind = DT_S_IF;
	dt_nest(c);
	dt_lex(c);
	dt_expect(c, DT_TK_LPAR);
	s->expr = dt_parse_expr(c);
	dt_expect(c, DT_TK_RPAR);
	s->then = parse_block(c);
	if (c->tok.kind == DT_TK_IDENT && c->tok.kw == DT_KW_ELSE) {
		dt_lex(c);
		s->otherwise = parse_block(c);
	}
	c->nest--;
	return s;
}

static struct dt_stmt *parse_stmt(struct dt_cc *c)
{
	struct dt_stmt *s = dt_alloc(c, sizeof(*s));

	s->line = c->tok.line;
	if (c->tok.kind == DT_TK_SEMI) {
		s->kind = DT_S_NULL;
		dt_lex(c);
		return s;
	}
	if (c->tok.kind == DT_TK_IDENT && c->tok.kw == DT_KW_IF)
		return parse_if(c, s);
	s->kind = DT_S_EXPR;
	s->expr = dt_parse_expr(c);
	if (c->tok.kind != DT_TK_RBRACE)
		dt_expect(c, DT_TK_SEMI);
	return s;
}

static struct dt_desc *parse_descs(struct dt_cc *c)
{
	struct dt_desc *first = NULL, **end = &first, *d;

	for (;;) {
		if (c->tok.kind != DT_TK_PSPEC && c->tok.kind != DT_TK_INT)
			dt_syntax(c);
		d = *end = dt_alloc(c, sizeof(*d));
		end = &d->next;
		d->line = c->tok.line;
		if (c->tok.kind == DT_TK_INT) {
			if (!c->tok.val || c->tok.val > UINT32_MAX)
				dt_fail(c, d->line, D_PDESC_INVAL,
					"probe identifier %llu not permitted when specifying a "
					"probe",
					(unsigned long long)c->tok.val);
			d->id = (uint32_t)c->tok.val;
			d->text = dt_strndup(c, c->tok.start, c->tok.srclen);
		} else {
			d->text = dt_macro_pspec(c, c->tok.text, strlen(c->tok.text), d->line);
		}
		dt_lex_top(c);
		if (c->tok.kind != DT_TK_COMMA)
			return first;
		dt_lex_top(c);
	}
}

static struct dt_clause *parse_clause(struct dt_cc *c)
{
	struct dt_clause *cl = dt_alloc(c, sizeof(*cl));

	cl->desc = parse_descs(c);
	if (c->tok.kind == DT_TK_DIV) {
		c->in_pred = true;
		dt_lex(c);
		cl->pred = dt_parse_expr(c);
		if (c->tok.kind != DT_TK_EPRED)
			dt_syntax(c);
		c->in_pred = false;
		dt_lex_top(c);
	}
	if (c->tok.kind == DT_TK_LBRACE) {
		cl->has_body = true;
		dt_lex(c);
		cl->stmt = parse_stmts(c);
		dt_lex_top(c);
	} else if (!cl->pred && c->src->file) {
		dt_fail(c, cl->desc->line, D_SYNTAX,
			"expected predicate and/or actions following probe description");
	}
	return cl;
}

/* A macro argument that no text refers to is a mistake of the caller, unless it says otherwise. */
static void check_args_used(struct dt_cc *c)
{
	int last = c->src->argc - 1;

	if (last > 0 && !c->argused[last] && !(c->p->opts && c->p->opts->val[DT_OPT_ARGREF]))
		dt_fail(c, c->line, D_MACRO_UNUSED,
			"extraneous argument '%s' ($%d is not referenced)", c->src->argv[last],
			last);
}

static void dt_parse_all(struct dt_cc *c, struct dt_vec *clauses)
{
	dt_lex_top(c);
	while (c->tok.kind != DT_TK_EOF) {
		if (c->tok.kind == DT_TK_IDENT) {
			dt_parse_decl(c);
			if (c->tok.kind != DT_TK_SEMI)
				dt_syntax(c);
			dt_lex_top(c);
		} else {
			struct dt_clause *cl = parse_clause(c);

			*(struct dt_clause **)dt_push(c, clauses, sizeof(void *), 1) = cl;
		}
	}
}

void dt_parse(struct dt_cc *c)
{
	uint32_t i;

	dt_parse_all(c, &c->parsed);
	check_args_used(c);
	if (!c->parsed.n && !(c->p->opts && c->p->opts->val[DT_OPT_EMPTY]))
		dt_fail(c, c->line, D_EMPTY, "empty D program translation unit");
	for (i = 0; i < c->parsed.n; i++) {
		struct dt_clause *cl = ((struct dt_clause **)c->parsed.v)[i];
		struct dt_desc *d;

		for (d = cl->desc; d; d = d->next)
			dt_gen_clause(c, cl, d);
	}
}
