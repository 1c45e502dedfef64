/* struct, union and enum specifiers, with C's layout on x86-64 (System V psABI), and translators. */
#include "dtrace/decl_impl.h"

#include <stdio.h>
#include <string.h>

struct layout {
	struct dt_type *t;
	struct dt_member **end;
	uint64_t bits; /* used so far, from the beginning */
	struct dt_map names;
};

/* The type of that tag: one that exists, unless it came with the compiler and the program now defines its own. */
static struct dt_type *tagged(struct dt_cc *c, enum dt_tkind kind, const char *what, const char *tag)
{
	bool define = c->tok.kind == DT_TK_LBRACE;
	char name[256];
	struct dt_type *t;

	if (tag) {
		snprintf(name, sizeof(name), "%s %s", what, tag);
		t = dt_type_named(c, name);
		if (t && !(define && t->given))
			return t;
	}
	t = dt_alloc(c, sizeof(*t));
	t->kind = (uint8_t)kind;
	t->align = 1;
	if (tag) {
		t->name = dt_strndup(c, name, strlen(name));
		dt_map_put(c, &c->p->types, t->name, t);
	} else {
		t->name = kind == DT_T_ENUM    ? "enum <anon>"
			  : kind == DT_T_UNION ? "union <anon>"
					       : "struct <anon>";
	}
	return t;
}

static void add_bits(struct dt_cc *c, struct layout *l, struct dt_member *m, int64_t width)
{
	uint64_t unit = dt_type_size(m->type) * 8, at = l->t->kind == DT_T_UNION ? 0 : l->bits;

	if (!dt_is_int(m->type))
		dt_fail(c, c->tok.line, D_DECL_BFTYPE, "invalid type for bit-field: %s",
			m->name ? m->name : "(unnamed)");
	if (width < 0 || (uint64_t)width > unit || (!width && m->name))
		dt_fail(c, c->tok.line, D_DECL_BFSIZE, "bit-field too big for type: %s",
			m->name ? m->name : "(unnamed)");
	if (!width) {
		l->bits = (at + unit - 1) / unit * unit;
		return;
	}
	if (at / unit != (at + (uint64_t)width - 1) / unit)
		at = (at + unit - 1) / unit * unit;
	m->bits = (uint8_t)width;
	m->off = (uint32_t)(at / unit * unit / 8);
	m->bitoff = (uint8_t)(at % unit);
	if (m->name && l->t->align < dt_type_align(m->type))
		l->t->align = dt_type_align(m->type);
	if (l->t->kind != DT_T_UNION || (uint64_t)width > l->bits)
		l->bits = l->t->kind == DT_T_UNION ? (uint64_t)width : at + (uint64_t)width;
}

static void add_member(struct dt_cc *c, struct layout *l, struct dt_member *m)
{
	uint64_t align = dt_type_align(m->type),
		 at = l->t->kind == DT_T_UNION ? 0 : (l->bits + 7) / 8,
		 size = dt_type_size(m->type);
	struct dt_type *r = dt_resolve(m->type);

	if (r->kind == DT_T_STRING)
		size = dt_strsize(c);
	if (r->kind == DT_T_FUNC || r->kind == DT_T_VOID ||
	    ((r->kind == DT_T_STRUCT || r->kind == DT_T_UNION || r->kind == DT_T_ENUM) && !r->complete))
		dt_fail(c, c->tok.line, D_DECL_INCOMPLETE, "incomplete struct/union/enum %s: %s",
			dt_type_name(c, m->type), m->name ? m->name : "(unnamed)");
	at = (at + align - 1) / align * align;
	if (at + size > INT32_MAX)
		dt_fail(c, c->tok.line, D_DECL_ARRBIG, "%s is too big", dt_type_name(c, l->t));
	m->off = (uint32_t)at;
	if (l->t->align < align)
		l->t->align = (uint32_t)align;
	if (l->t->kind != DT_T_UNION || size * 8 > l->bits)
		l->bits = (at + size) * 8;
}

/* Names of members, also of those of unnamed structures, are used once. */
static void add_names(struct dt_cc *c, struct layout *l, struct dt_member *m)
{
	struct dt_type *t = dt_resolve(m->type);

	if (m->name) {
		if (dt_map_get(&l->names, m->name))
			dt_fail(c, c->tok.line, D_DECL_IDRED, "member redeclared: %s", m->name);
		dt_map_put(c, &l->names, m->name, m);
		return;
	}
	if (t->kind == DT_T_STRUCT || t->kind == DT_T_UNION)
		for (m = t->member; m; m = m->next)
			add_names(c, l, m);
}

static void parse_members(struct dt_cc *c, struct layout *l)
{
	struct dt_spec sp;

	dt_parse_spec(c, &sp);
	if (sp.cls != DT_DC_NONE)
		dt_fail(c, c->tok.line, D_DECL_BADCLASS,
			"specified storage class not appropriate in D");
	do {
		struct dt_member *m = dt_alloc(c, sizeof(*m));
		struct dt_declr d = { 0 };

		if (c->tok.kind != DT_TK_COLON && c->tok.kind != DT_TK_SEMI)
			dt_parse_declarator(c, sp.type, &d);
		else
			d.type = sp.type;
		if (d.assoc)
			dt_fail(c, c->tok.line, D_DECL_ARRSUB,
				"positive integer constant expression is required for array size");
		m->name = d.name;
		m->type = d.type;
		if (dt_accept(c, DT_TK_COLON)) {
			add_bits(c, l, m, dt_parse_const(c, D_DECL_BFCONST, "bit-field size"));
		} else {
			struct dt_type *r = dt_resolve(m->type);

			if (!m->name && r->kind != DT_T_STRUCT && r->kind != DT_T_UNION)
				dt_fail(c, c->tok.line, D_DECL_MNAME,
					"member declaration requires a name");
			add_member(c, l, m);
		}
		add_names(c, l, m);
		*l->end = m;
		l->end = &m->next;
	} while (dt_accept(c, DT_TK_COMMA));
	dt_expect(c, DT_TK_SEMI);
}

struct dt_type *dt_parse_sou(struct dt_cc *c, bool is_union)
{
	const char *tag = NULL;
	struct layout l = { 0 };
	uint64_t size;

	if (c->tok.kind == DT_TK_IDENT && !c->tok.kw) {
		tag = c->tok.text;
		dt_lex(c);
	}
	if (!tag && c->tok.kind != DT_TK_LBRACE)
		dt_syntax(c);
	l.t = tagged(c, is_union ? DT_T_UNION : DT_T_STRUCT, is_union ? "union" : "struct", tag);
	if (c->tok.kind != DT_TK_LBRACE)
		return l.t;
	if (l.t->complete)
		dt_fail(c, c->tok.line, D_DECL_TYPERED, "%s redeclared: %s",
			is_union ? "union" : "struct", tag ? tag : "");
	dt_nest(c);
	dt_lex(c);
	l.end = &l.t->member;
	while (c->tok.kind != DT_TK_RBRACE)
		parse_members(c, &l);
	dt_lex(c);
	c->nest--;
	size = ((l.bits + 7) / 8 + l.t->align - 1) / l.t->align * l.t->align;
	if (size > INT32_MAX)
		dt_fail(c, c->tok.line, D_DECL_ARRBIG, "%s is too big", dt_type_name(c, l.t));
	l.t->size = (uint32_t)size;
	l.t->complete = true;
	l.t->given = c->prelude;
	return l.t;
}

struct dt_type *dt_parse_enum(struct dt_cc *c)
{
	struct dt_enumtag **end;
	const char *tag = NULL;
	struct dt_type *t;
	int64_t v = 0;

	if (c->tok.kind == DT_TK_IDENT && !c->tok.kw) {
		tag = c->tok.text;
		dt_lex(c);
	}
	if (!tag && c->tok.kind != DT_TK_LBRACE)
		dt_syntax(c);
	t = tagged(c, DT_T_ENUM, "enum", tag);
	if (c->tok.kind != DT_TK_LBRACE)
		return t;
	if (t->complete)
		dt_fail(c, c->tok.line, D_DECL_TYPERED, "enum redeclared: %s", tag ? tag : "");
	t->size = t->align = 4;
	t->is_signed = true;
	end = &t->tag;
	do {
		struct dt_ident *id;

		dt_lex(c);
		if (c->tok.kind == DT_TK_RBRACE && t->tag)
			break;
		if (c->tok.kind != DT_TK_IDENT || c->tok.kw)
			dt_syntax(c);
		*end = dt_alloc(c, sizeof(**end));
		(*end)->name = c->tok.text;
		dt_lex(c);
		if (dt_accept(c, DT_TK_ASSIGN))
			v = dt_parse_const(c, D_DECL_ENCONST, "enumerator value");
		if (v < INT32_MIN || v > INT32_MAX)
			dt_fail(c, c->tok.line, D_DECL_ENOFLOW,
				"enumerator value overflows INT_MAX: %s", (*end)->name);
		(*end)->value = (int32_t)v++;
		if (dt_map_get(&c->p->globals, (*end)->name))
			dt_fail(c, c->tok.line, D_DECL_IDRED, "identifier redeclared: %s",
				(*end)->name);
		id = dt_ident_new(c, &c->p->globals, (*end)->name, DT_ID_CONST, c->tok.line);
		id->value = (*end)->value;
		id->type = c->p->t_int;
		end = &(*end)->next;
	} while (c->tok.kind == DT_TK_COMMA);
	dt_expect(c, DT_TK_RBRACE);
	t->complete = true;
	return t;
}

/* translator TO < FROM param > { member = expression; ... } */
void dt_parse_translator(struct dt_cc *c)
{
	struct dt_xlator *x = dt_alloc(c, sizeof(*x)), *o;
	struct dt_node **end = &x->member;
	struct dt_declr d = { 0 };
	struct dt_spec sp;
	struct dt_type *to;

	dt_lex(c);
	x->to = dt_parse_typename(c);
	to = dt_resolve(x->to);
	if (to->kind != DT_T_STRUCT && to->kind != DT_T_UNION)
		dt_fail(c, c->tok.line, D_XLATE_SOU,
			"translator output type must be a struct or union");
	dt_expect(c, DT_TK_LT);
	dt_parse_spec(c, &sp);
	dt_parse_declarator(c, sp.type, &d);
	if (!d.name || d.assoc)
		dt_syntax(c);
	x->from = d.type;
	x->param = d.name;
	dt_expect(c, DT_TK_GT);
	for (o = c->p->xlators; o; o = o->next)
		if (dt_type_same(o->to, x->to) && dt_type_same(o->from, x->from))
			dt_fail(c, d.line, D_XLATE_REDECL,
				"translator from %s to %s has already been declared",
				dt_type_name(c, x->from), dt_type_name(c, x->to));
	dt_expect(c, DT_TK_LBRACE);
	while (c->tok.kind != DT_TK_RBRACE) {
		struct dt_node *n = dt_node_new(c, DT_N_MEMBER, c->tok.line);
		uint32_t off = 0;

		if (c->tok.kind != DT_TK_IDENT)
			dt_syntax(c);
		n->str = c->tok.text;
		dt_lex(c);
		if (to->complete && !dt_type_member(to, n->str, &off))
			dt_fail(c, n->line, D_XLATE_MEMB,
				"translator member %s is not a member of %s", n->str,
				dt_type_name(c, x->to));
		dt_expect(c, DT_TK_ASSIGN);
		n->a = dt_parse_expr(c);
		dt_expect(c, DT_TK_SEMI);
		*end = n;
		end = &n->next;
	}
	dt_lex(c);
	x->next = c->p->xlators;
	c->p->xlators = x;
}
