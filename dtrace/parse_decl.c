/* Declarations: C's specifiers and declarators, and D's storage classes self, this, inline and associative arrays. */
#include "dtrace/decl_impl.h"

#include <string.h>

struct speccount {
	unsigned n_char, n_int, n_void, n_float, n_double, n_short, n_long, n_signed, n_unsigned,
		n_other;
};

bool dt_parse_is_type(struct dt_cc *c)
{
	if (c->tok.kind != DT_TK_IDENT)
		return false;
	switch ((int)c->tok.kw) {
	case DT_KW_NONE:
		return dt_type_named(c, c->tok.text) && !dt_map_get(&c->p->globals, c->tok.text);
	case DT_KW_CHAR: case DT_KW_CONST: case DT_KW_DOUBLE: case DT_KW_ENUM: case DT_KW_FLOAT: case DT_KW_INT: case DT_KW_LONG:
	case DT_KW_RESTRICT: case DT_KW_SHORT: case DT_KW_SIGNED: case DT_KW_STRING: case DT_KW_STRUCT: case DT_KW_UNION:
	case DT_KW_UNSIGNED: case DT_KW_VOID: case DT_KW_VOLATILE:
		return true;
	default:
		return false;
	}
}

static struct dt_type *named(struct dt_cc *c, const char *name)
{
	return dt_type_named(c, name);
}

/* The type that a set of C's type specifiers names. */
static struct dt_type *spec_type(struct dt_cc *c, const struct speccount *s)
{
	uint32_t line = c->tok.line;
	unsigned words = s->n_char + s->n_int + s->n_void + s->n_float + s->n_double;

	if (words > 1 || s->n_short > 1 || s->n_long > 2 || s->n_signed > 1 || s->n_unsigned > 1 ||
	    (s->n_short && s->n_long) || (s->n_signed && s->n_unsigned))
		dt_fail(c, line, D_DECL_COMBO, "invalid type combination");
	if (s->n_void && (s->n_short || s->n_long || s->n_signed || s->n_unsigned))
		dt_fail(c, line, D_DECL_VOIDATTR,
			"invalid type declaration: attributes may not be used with void type");
	if (s->n_char && (s->n_short || s->n_long))
		dt_fail(c, line, D_DECL_CHARATTR,
			"invalid type declaration: short and long may not be used with char type");
	if ((s->n_float || s->n_double) && (s->n_signed || s->n_unsigned))
		dt_fail(c, line, D_DECL_SIGNINT,
			"invalid type declaration: signed and unsigned may only be used with "
			"integer type");
	if ((s->n_float && (s->n_short || s->n_long)) || (s->n_double && (s->n_short || s->n_long > 1)))
		dt_fail(c, line, D_DECL_LONGINT,
			"invalid type declaration: short and long may not be used with %s type",
			s->n_float ? "float" : "double");
	if (s->n_void)
		return c->p->t_void;
	if (s->n_float)
		return named(c, "float");
	if (s->n_double)
		return named(c, s->n_long ? "long double" : "double");
	if (s->n_char)
		return named(c, s->n_unsigned ? "unsigned char" : s->n_signed ? "signed char" : "char");
	if (s->n_short)
		return named(c, s->n_unsigned ? "unsigned short" : "short");
	if (s->n_long == 2)
		return named(c, s->n_unsigned ? "unsigned long long" : "long long");
	if (s->n_long)
		return named(c, s->n_unsigned ? "unsigned long" : "long");
	return named(c, s->n_unsigned ? "unsigned int" : "int");
}

static void set_class(struct dt_cc *c, struct dt_spec *sp, enum dt_class cls)
{
	if (sp->cls != DT_DC_NONE)
		dt_fail(c, c->tok.line, D_DECL_CLASS,
			"only one storage class allowed in a declaration");
	sp->cls = cls;
}

/* One word of the specifiers; false at the first that is none. */
static bool spec_word(struct dt_cc *c, struct dt_spec *sp, struct speccount *s, unsigned *quals)
{
	switch ((int)c->tok.kw) {
	case DT_KW_AUTO: case DT_KW_REGISTER: case DT_KW_STATIC:
		dt_fail(c, c->tok.line, D_DECL_BADCLASS,
			"specified storage class not appropriate in D");
	case DT_KW_EXTERN:  set_class(c, sp, DT_DC_EXTERN); break;
	case DT_KW_TYPEDEF: set_class(c, sp, DT_DC_TYPEDEF); break;
	case DT_KW_SELF:    set_class(c, sp, DT_DC_SELF); break;
	case DT_KW_THIS:    set_class(c, sp, DT_DC_THIS); break;
	case DT_KW_INLINE:  set_class(c, sp, DT_DC_INLINE); break;
	case DT_KW_CONST:   *quals |= 1; break;
	case DT_KW_VOLATILE: *quals |= 2; break;
	case DT_KW_RESTRICT: break;
	case DT_KW_CHAR:    s->n_char++; break;
	case DT_KW_INT:     s->n_int++; break;
	case DT_KW_VOID:    s->n_void++; break;
	case DT_KW_FLOAT:   s->n_float++; break;
	case DT_KW_DOUBLE:  s->n_double++; break;
	case DT_KW_SHORT:   s->n_short++; break;
	case DT_KW_LONG:    s->n_long++; break;
	case DT_KW_SIGNED:  s->n_signed++; break;
	case DT_KW_UNSIGNED: s->n_unsigned++; break;
	case DT_KW_STRING:
		s->n_other++;
		sp->type = c->p->t_string;
		break;
	case DT_KW_STRUCT: case DT_KW_UNION: case DT_KW_ENUM: {
		enum dt_kw kw = (enum dt_kw)c->tok.kw;

		dt_lex(c);
		sp->type = kw == DT_KW_ENUM ? dt_parse_enum(c) : dt_parse_sou(c, kw == DT_KW_UNION);
		s->n_other++;
		sp->tagged = true;
		return true;
	}
	case DT_KW_NONE: {
		struct dt_type *t = named(c, c->tok.text);

		if (!t || s->n_other || s->n_char || s->n_int || s->n_void || s->n_float ||
		    s->n_double || s->n_short || s->n_long || s->n_signed || s->n_unsigned)
			return false;
		s->n_other++;
		sp->type = t;
		break;
	}
	default:
		return false;
	}
	dt_lex(c);
	return true;
}

void dt_parse_spec(struct dt_cc *c, struct dt_spec *sp)
{
	struct speccount s = { 0 };
	unsigned quals = 0, basic;

	memset(sp, 0, sizeof(*sp));
	while (c->tok.kind == DT_TK_IDENT && spec_word(c, sp, &s, &quals))
		;
	basic = s.n_char + s.n_int + s.n_void + s.n_float + s.n_double + s.n_short + s.n_long;
	if (!sp->type && !basic && !s.n_signed && !s.n_unsigned)
		dt_fail(c, c->tok.line, D_DECL_IDENT,
			"old-style declaration or incorrect type specified");
	if (s.n_other > 1 || (s.n_other && basic))
		dt_fail(c, c->tok.line,
			s.n_other == 1 && (s.n_short || s.n_long) && basic == s.n_short + s.n_long
				? D_DECL_LONGINT
				: D_DECL_COMBO,
			"invalid type combination");
	if (s.n_other && (s.n_signed || s.n_unsigned))
		dt_fail(c, c->tok.line, D_DECL_SIGNINT,
			"invalid type declaration: signed and unsigned may only be used with "
			"integer type");
	if (!sp->type)
		sp->type = spec_type(c, &s);
	if (quals & 1)
		sp->type = dt_type_alias(c, sp->type, "const");
	if (quals & 2)
		sp->type = dt_type_alias(c, sp->type, "volatile");
}

int64_t dt_parse_const(struct dt_cc *c, enum dt_errtag tag, const char *what)
{
	uint32_t line = c->tok.line;
	struct dt_node *n = dt_check(c, dt_parse_assign(c));

	if (n->kind != DT_N_INT)
		dt_fail(c, line, tag, "%s must be an integer constant", what);
	return (int64_t)n->val;
}

static void need_complete(struct dt_cc *c, struct dt_type *type, const char *name)
{
	struct dt_type *t = dt_resolve(type);

	while (t->kind == DT_T_ARRAY)
		t = dt_resolve(t->ref);
	if ((t->kind == DT_T_STRUCT || t->kind == DT_T_UNION || t->kind == DT_T_ENUM) &&
	    (!t->complete || !t->size))
		dt_fail(c, c->tok.line, D_DECL_INCOMPLETE, "incomplete struct/union/enum %s: %s",
			dt_type_name(c, type), name);
}

/* [int, string x]: the keys of an associative array, or the parameters of an inline. */
static void parse_keys(struct dt_cc *c, struct dt_declr *d)
{
	struct dt_param **end = &d->param;
	struct dt_type *key[DVM_MAXKEYS];
	struct dt_spec sp;
	int n = 0;

	do {
		struct dt_declr k = { 0 };

		dt_parse_spec(c, &sp);
		if (sp.cls != DT_DC_NONE)
			dt_fail(c, c->tok.line, D_DECL_PARMCLASS,
				"inappropriate storage class for function or associative array "
				"parameter");
		dt_parse_declarator(c, sp.type, &k);
		if (n == DVM_MAXKEYS)
			dt_fail(c, c->tok.line, D_PROTO_LEN,
				"too many keys: at most %d are allowed", DVM_MAXKEYS);
		if (dt_is_void(k.type))
			dt_fail(c, c->tok.line, D_KEY_TYPE,
				"void expression may not be used as associative array index: key "
				"#%d",
				n + 1);
		need_complete(c, k.type, k.name ? k.name : "key");
		key[n++] = k.type;
		*end = dt_alloc(c, sizeof(**end));
		(*end)->name = k.name;
		(*end)->type = k.type;
		end = &(*end)->next;
	} while (dt_accept(c, DT_TK_COMMA));
	d->assoc = true;
	d->nkey = n;
	d->key = dt_alloc(c, sizeof(*d->key) * (size_t)n);
	memcpy(d->key, key, sizeof(*key) * (size_t)n);
}

static void parse_params(struct dt_cc *c)
{
	bool first = true;

	while (c->tok.kind != DT_TK_RPAR) {
		struct dt_declr k = { 0 };
		struct dt_spec sp;

		if (c->tok.kind == DT_TK_ELLIPSIS) {
			dt_lex(c);
			break;
		}
		dt_parse_spec(c, &sp);
		if (sp.cls != DT_DC_NONE)
			dt_fail(c, c->tok.line, D_DECL_PARMCLASS,
				"inappropriate storage class for function or associative array "
				"parameter");
		dt_parse_declarator(c, sp.type, &k);
		if (dt_is_void(k.type) && (!first || c->tok.kind != DT_TK_RPAR))
			dt_fail(c, c->tok.line, D_DECL_PROTO_VOID,
				"void must be the sole parameter in a function declaration");
		if (dt_is_string(k.type) || dt_is_dyn(k.type))
			dt_fail(c, c->tok.line, D_DECL_PROTO_TYPE,
				"%s is not a valid parameter type", dt_type_name(c, k.type));
		first = false;
		if (!dt_accept(c, DT_TK_COMMA))
			break;
	}
	dt_expect(c, DT_TK_RPAR);
}

/* What follows the name: [n], [keys], (params). The first suffix is the outermost part of the type. */
static struct dt_type *parse_suffix(struct dt_cc *c, struct dt_type *base, struct dt_declr *d,
				    bool first)
{
	struct dt_type *t;

	if (c->tok.kind == DT_TK_LBRAC) {
		int64_t n;

		dt_nest(c);
		dt_lex(c);
		if (first && dt_parse_is_type(c)) {
			parse_keys(c, d);
			dt_expect(c, DT_TK_RBRAC);
			t = parse_suffix(c, base, d, false);
		} else if (dt_accept(c, DT_TK_RBRAC)) {
			t = dt_type_array(c, parse_suffix(c, base, d, false), 0);
		} else {
			n = dt_parse_const(c, D_DECL_ARRSUB, "array size");
			if (n <= 0)
				dt_fail(c, c->tok.line, D_DECL_ARRSUB,
					"positive integer constant expression is required for "
					"array size");
			dt_expect(c, DT_TK_RBRAC);
			t = parse_suffix(c, base, d, false);
			if (n > INT32_MAX ||
			    (dt_type_size(t) && (uint64_t)n * dt_type_size(t) > INT32_MAX))
				dt_fail(c, c->tok.line, D_DECL_ARRBIG, "array dimensions too big");
			t = dt_type_array(c, t, (uint32_t)n);
		}
		c->nest--;
		return t;
	}
	if (c->tok.kind == DT_TK_LPAR) {
		dt_nest(c);
		dt_lex(c);
		parse_params(c);
		t = dt_alloc(c, sizeof(*t));
		t->kind = DT_T_FUNC;
		t->ref = parse_suffix(c, base, d, false);
		c->nest--;
		return t;
	}
	return base;
}

void dt_parse_declarator(struct dt_cc *c, struct dt_type *base, struct dt_declr *d)
{
	dt_nest(c);
	while (c->tok.kind == DT_TK_MUL) {
		base = dt_type_ptr(c, base);
		dt_lex(c);
		while (c->tok.kind == DT_TK_IDENT &&
		       (c->tok.kw == DT_KW_CONST || c->tok.kw == DT_KW_VOLATILE ||
			c->tok.kw == DT_KW_RESTRICT)) {
			if (c->tok.kw != DT_KW_RESTRICT)
				base = dt_type_alias(
					c, base, c->tok.kw == DT_KW_CONST ? "const" : "volatile");
			dt_lex(c);
		}
	}
	d->line = c->tok.line;
	if (c->tok.kind == DT_TK_LPAR) {
		/* the inner declarator applies to what the suffixes after it make: a hole until they are read */
		struct dt_type *hole = dt_type_alias(c, c->p->t_int, NULL);

		dt_lex(c);
		if (c->tok.kind == DT_TK_RPAR ||
		    dt_parse_is_type(c)) { /* int (void): a function without a name */
			parse_params(c);
			hole->kind = DT_T_FUNC;
			hole->ref = parse_suffix(c, base, d, false);
			d->type = hole;
		} else {
			dt_parse_declarator(c, hole, d);
			dt_expect(c, DT_TK_RPAR);
			hole->ref = parse_suffix(c, base, d, !d->assoc);
		}
	} else {
		if (c->tok.kind == DT_TK_IDENT && !c->tok.kw) {
			d->name = c->tok.text;
			if (strchr(d->name, '`'))
				dt_fail(c, c->tok.line, D_DECL_SCOPE,
					"D scoping operator may not be used in a declaration name "
					"(%s)",
					d->name);
			dt_lex(c);
		}
		d->type = parse_suffix(c, base, d, true);
	}
	c->nest--;
}

struct dt_type *dt_parse_typename(struct dt_cc *c)
{
	struct dt_declr d = { 0 };
	struct dt_spec sp;

	dt_parse_spec(c, &sp);
	if (sp.cls != DT_DC_NONE)
		dt_syntax(c);
	dt_parse_declarator(c, sp.type, &d);
	if (d.name || d.assoc)
		dt_syntax(c);
	return d.type;
}

static void redeclared(struct dt_cc *c, const struct dt_declr *d, const struct dt_ident *id)
{
	dt_fail(c, d->line, D_DECL_IDRED,
		"identifier redeclared: %s\n\t current: %s %s\n\tprevious: %s %s", d->name,
		dt_idkind_name(d->assoc ? DT_ID_ARRAY : DT_ID_SCALAR), dt_type_name(c, d->type),
		dt_idkind_name((enum dt_idkind)id->kind), dt_type_name(c, id->type));
}

static void declare_var(struct dt_cc *c, const struct dt_declr *d, enum dvm_scope scope)
{
	struct dt_ident *id = dt_map_get(dt_scope_map(c, scope), d->name);
	struct dt_type *t = dt_resolve(d->type);
	int i;

	if (scope == DVM_GLOBAL && id && id->kind != DT_ID_SCALAR && id->kind != DT_ID_ARRAY)
		dt_fail(c, d->line, D_DECL_IDRED, "built-in identifier redeclared: %s", d->name);
	if (scope == DVM_GLOBAL && dt_map_get(&c->p->types, d->name))
		dt_fail(c, d->line, D_DECL_IDRED, "typedef identifier redeclared: %s", d->name);
	if (t->kind == DT_T_VOID)
		dt_fail(c, d->line, D_DECL_VOIDOBJ, "cannot have void object: %s", d->name);
	if (t->kind == DT_T_ARRAY && !t->nelem)
		dt_fail(c, d->line, D_DECL_ARRNULL,
			"array declaration requires array dimension or tuple signature: %s",
			d->name);
	need_complete(c, d->type, d->name);
	if (d->assoc && scope == DVM_LOCAL)
		dt_fail(c, d->line, D_DECL_LOCASSC,
			"associative arrays may not be declared as local variables: %s", d->name);
	if (id) {
		if ((id->kind == DT_ID_ARRAY) != d->assoc ||
		    (id->type && !dt_type_same(id->type, d->type)))
			redeclared(c, d, id);
		if (d->assoc && id->nkey != d->nkey)
			redeclared(c, d, id);
		for (i = 0; d->assoc && i < d->nkey; i++)
			if (!dt_type_same(id->key[i], d->key[i]))
				redeclared(c, d, id);
		return;
	}
	id = dt_var_new(c, scope, d->name, d->assoc, d->line);
	id->declared = true;
	if (d->assoc) {
		id->nkey = d->nkey;
		id->key = d->key;
	}
	dt_var_settype(c, id, d->type);
}

static void declare_typedef(struct dt_cc *c, const struct dt_declr *d)
{
	struct dt_type *old = dt_type_named(c, d->name), *t;

	if (dt_map_get(&c->p->globals, d->name))
		dt_fail(c, d->line, D_DECL_IDRED, "global variable identifier redeclared: %s", d->name);
	if (old && !old->given && old->kind == DT_T_ALIAS && old->complete &&
	    !dt_type_same(old, d->type))
		dt_fail(c, d->line, D_DECL_IDRED, "typedef redeclared: %s", d->name);
	t = dt_type_alias(c, d->type, d->name);
	t->complete = !c->prelude; /* the user's: it may not change; one that came with the compiler may */
	dt_map_put(c, &c->p->types, d->name, t);
}

static void declare_inline(struct dt_cc *c, const struct dt_declr *d)
{
	struct dt_ident *id = dt_map_get(&c->p->globals, d->name);

	if (id)
		dt_fail(c, d->line, D_DECL_IDRED, "identifier redeclared: %s", d->name);
	if (dt_map_get(&c->p->types, d->name))
		dt_fail(c, d->line, D_DECL_IDRED, "typedef identifier redeclared: %s", d->name);
	if (!dt_accept(c, DT_TK_ASSIGN))
		dt_syntax(c);
	id = dt_ident_new(c, &c->p->globals, d->name, DT_ID_INLINE, d->line);
	id->type = d->type;
	id->nkey = d->assoc ? d->nkey : 0;
	id->key = d->key;
	id->param = d->param;
	id->expr = dt_parse_assign(c);
}

void dt_parse_decl(struct dt_cc *c)
{
	struct dt_spec sp;

	if (c->tok.kw == DT_KW_TRANSLATOR) {
		dt_parse_translator(c);
		return;
	}
	if (c->tok.kw == DT_KW_PROVIDER)
		dt_fail(c, c->tok.line, D_SYNTAX,
			"provider declarations describe an object file's probes; a program cannot "
			"use them");
	dt_parse_spec(c, &sp);
	if (c->tok.kind == DT_TK_SEMI) {
		if (!sp.tagged)
			dt_fail(c, c->tok.line, D_DECL_USELESS, "useless declaration");
		return;
	}
	for (;;) {
		struct dt_declr d = { 0 };

		dt_parse_declarator(c, sp.type, &d);
		if (!d.name)
			dt_syntax(c);
		if (sp.cls == DT_DC_TYPEDEF)
			declare_typedef(c, &d);
		else if (sp.cls == DT_DC_INLINE)
			declare_inline(c, &d);
		else if (sp.cls != DT_DC_EXTERN && dt_resolve(d.type)->kind != DT_T_FUNC)
			declare_var(c, &d,
				    sp.cls == DT_DC_SELF   ? DVM_THREAD
				    : sp.cls == DT_DC_THIS ? DVM_LOCAL
							   : DVM_GLOBAL);
		if (!dt_accept(c, DT_TK_COMMA))
			return;
	}
}
