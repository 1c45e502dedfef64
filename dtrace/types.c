/* Types of the D language: C's on LP64, and string. Sizes, names, the usual arithmetic conversions, and which types go
 * together. */
#include "dtrace/dt_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static struct dt_type *type_new(struct dt_cc *c, enum dt_tkind kind, const char *name, uint32_t size)
{
	struct dt_type *t = dt_alloc(c, sizeof(*t));

	t->kind = (uint8_t)kind;
	t->name = name;
	t->size = t->align = size;
	return t;
}

static struct dt_type *type_named(struct dt_cc *c, enum dt_tkind kind, const char *name,
				  uint32_t size, bool is_signed)
{
	struct dt_type *t = type_new(c, kind, name, size);

	t->is_signed = is_signed;
	t->is_char = kind == DT_T_INT && size == 1;
	dt_map_put(c, &c->p->types, name, t);
	return t;
}

void dt_types_init(struct dt_cc *c)
{
	static const struct {
		const char *name;
		uint8_t size;
		bool is_signed;
	} ints[] = {
		{ "signed char", 1, true }, { "unsigned char", 1, false }, { "short", 2, true }, { "unsigned short", 2, false },
		{ "long long", 8, true }, { "unsigned long long", 8, false },
	};
	static const struct {
		const char *name, *of;
	} defs[] = {
		{ "int8_t", "signed char" }, { "uint8_t", "unsigned char" }, { "int16_t", "short" }, { "uint16_t", "unsigned short" },
		{ "int32_t", "int" }, { "uint32_t", "unsigned int" }, { "int64_t", "long" }, { "uint64_t", "unsigned long" },
		{ "intptr_t", "long" }, { "uintptr_t", "unsigned long" }, { "size_t", "unsigned long" }, { "ssize_t", "long" },
		{ "ptrdiff_t", "long" }, { "off_t", "long" }, { "loff_t", "long" }, { "off64_t", "long" }, { "time_t", "long" },
		{ "clock_t", "long" }, { "clockid_t", "int" }, { "timer_t", "int" }, { "pid_t", "int" }, { "tid_t", "int" },
		{ "id_t", "int" }, { "uid_t", "unsigned int" }, { "gid_t", "unsigned int" }, { "mode_t", "unsigned int" },
		{ "umode_t", "unsigned short" }, { "dev_t", "unsigned long" }, { "ino_t", "unsigned long" }, { "nlink_t", "unsigned long" },
		{ "key_t", "int" }, { "socklen_t", "unsigned int" }, { "zoneid_t", "int" }, { "processorid_t", "int" },
		{ "psetid_t", "int" }, { "chipid_t", "int" }, { "lgrp_id_t", "int" }, { "major_t", "unsigned int" },
		{ "minor_t", "unsigned int" }, { "hrtime_t", "long" }, { "uchar_t", "unsigned char" }, { "ushort_t", "unsigned short" },
		{ "uint_t", "unsigned int" }, { "ulong_t", "unsigned long" }, { "longlong_t", "long long" },
		{ "u_longlong_t", "unsigned long long" }, { "offset_t", "long" }, { "boolean_t", "int" }, { "bool", "unsigned char" },
		{ "uint", "unsigned int" }, { "ushort", "unsigned short" }, { "ulong", "unsigned long" }, { "u_char", "unsigned char" },
		{ "u_short", "unsigned short" }, { "u_int", "unsigned int" }, { "u_long", "unsigned long" }, { "caddr_t", "char *" },
		{ "sigset_t", "unsigned long" }, { "in_addr_t", "unsigned int" }, { "in_port_t", "unsigned short" },
		{ "ipaddr_t", "unsigned int" }, { "u8", "unsigned char" }, { "u16", "unsigned short" }, { "u32", "unsigned int" },
		{ "u64", "unsigned long" }, { "s8", "signed char" }, { "s16", "short" }, { "s32", "int" }, { "s64", "long" },
		{ "__u8", "unsigned char" }, { "__u16", "unsigned short" }, { "__u32", "unsigned int" }, { "__u64", "unsigned long" },
		{ "__s8", "signed char" }, { "__s16", "short" }, { "__s32", "int" }, { "__s64", "long" },
	};
	struct dt_prog *p = c->p;
	size_t i;

	p->t_void = type_named(c, DT_T_VOID, "void", 0, false);
	p->t_char = type_named(c, DT_T_INT, "char", 1, true);
	p->t_int = type_named(c, DT_T_INT, "int", 4, true);
	p->t_uint = type_named(c, DT_T_INT, "unsigned int", 4, false);
	p->t_long = type_named(c, DT_T_INT, "long", 8, true);
	p->t_ulong = type_named(c, DT_T_INT, "unsigned long", 8, false);
	p->t_string = type_named(c, DT_T_STRING, "string", 0, false);
	p->t_string->align = 1;
	p->t_dyn = type_new(c, DT_T_DYN, "<DYN>", 0);
	for (i = 0; i < sizeof(ints) / sizeof(*ints); i++)
		type_named(c, DT_T_INT, ints[i].name, ints[i].size, ints[i].is_signed);
	type_named(c, DT_T_FLOAT, "float", 4, true);
	type_named(c, DT_T_FLOAT, "double", 8, true);
	type_named(c, DT_T_FLOAT, "long double", 16, true);
	for (i = 0; i < sizeof(defs) / sizeof(*defs); i++)
		dt_map_put(c, &p->types, defs[i].name,
			   dt_type_alias(c, dt_type_lookup(c, defs[i].of), defs[i].name));
	p->t_int64 = dt_map_get(&p->types, "int64_t");
	p->t_uint64 = dt_map_get(&p->types, "uint64_t");
	p->t_size = dt_map_get(&p->types, "size_t");
}

struct dt_type *dt_resolve(struct dt_type *t)
{
	while (t && t->kind == DT_T_ALIAS)
		t = t->ref;
	return t;
}

struct dt_type *dt_type_ptr(struct dt_cc *c, struct dt_type *t)
{
	struct dt_type *r = t->ptr;

	if (!r) {
		r = t->ptr = type_new(c, DT_T_PTR, NULL, 8);
		r->ref = t;
	}
	return r;
}

struct dt_type *dt_type_array(struct dt_cc *c, struct dt_type *elem, uint32_t n)
{
	struct dt_type *r = type_new(c, DT_T_ARRAY, NULL, 0);

	r->ref = elem;
	r->nelem = n;
	return r;
}

struct dt_type *dt_type_alias(struct dt_cc *c, struct dt_type *t, const char *name)
{
	struct dt_type *r = type_new(c, DT_T_ALIAS, name, 0);

	r->ref = t;
	return r;
}

uint32_t dt_strsize(struct dt_cc *c)
{
	uint64_t n = c->p->opts ? c->p->opts->val[DT_OPT_STRSIZE] : 256;

	return n < 1u << 20 ? (uint32_t)n : 1u << 20;
}

uint64_t dt_type_size(struct dt_type *t)
{
	uint64_t n = 1;

	for (t = dt_resolve(t); t && t->kind == DT_T_ARRAY; t = dt_resolve(t->ref)) {
		n *= t->nelem;
		if (n > UINT32_MAX)
			return UINT32_MAX;
	}
	return t ? n * t->size : 0;
}

uint32_t dt_type_align(struct dt_type *t)
{
	for (t = dt_resolve(t); t && t->kind == DT_T_ARRAY; t = dt_resolve(t->ref))
		;
	return t && t->align ? t->align : 1;
}

/* Writes the name of t; what stands after an inner declarator ("[4]") goes to the end. */
static void type_name(struct dt_type *t, char *buf, size_t cap, unsigned depth)
{
	size_t n;

	if (depth > 32) {
		snprintf(buf, cap, "...");
		return;
	}
	switch ((enum dt_tkind)t->kind) {
	case DT_T_ALIAS:
		if (!t->name) {
			type_name(t->ref, buf, cap, depth + 1);
		} else if (!strcmp(t->name, "const") || !strcmp(t->name, "volatile")) {
			if (dt_is_ptr(t->ref) && t->ref->kind == DT_T_PTR) {
				type_name(t->ref, buf, cap, depth + 1);
				n = strlen(buf);
				snprintf(buf + n, cap - n, " %s", t->name);
			} else {
				n = (size_t)snprintf(buf, cap, "%s ", t->name);
				if (n < cap)
					type_name(t->ref, buf + n, cap - n, depth + 1);
			}
		} else {
			snprintf(buf, cap, "%s", t->name);
		}
		return;
	case DT_T_PTR:
		type_name(t->ref, buf, cap, depth + 1);
		n = strlen(buf);
		if (n && buf[n - 1] == ')' && strstr(buf, " ()"))
			snprintf(strstr(buf, " ()"), cap - (size_t)(strstr(buf, " ()") - buf),
				 " (*)()");
		else
			snprintf(buf + n, cap - n, "%s", n && buf[n - 1] == '*' ? "*" : " *");
		return;
	case DT_T_ARRAY: {
		char dims[128] = "";

		for (n = 0; t->kind == DT_T_ARRAY && n < sizeof(dims) - 16; t = t->ref)
			n += (size_t)snprintf(dims + n, sizeof(dims) - n, "[%u]", t->nelem);
		type_name(t, buf, cap, depth + 1);
		n = strlen(buf);
		snprintf(buf + n, cap - n, " %s", dims);
		return;
	}
	case DT_T_FUNC:
		type_name(t->ref, buf, cap, depth + 1);
		n = strlen(buf);
		snprintf(buf + n, cap - n, " ()");
		return;
	case DT_T_VOID:
	case DT_T_INT:
	case DT_T_FLOAT:
	case DT_T_STRING:
	case DT_T_STRUCT:
	case DT_T_UNION:
	case DT_T_ENUM:
	case DT_T_DYN:
		snprintf(buf, cap, "%s", t->name ? t->name : "<anon>");
		return;
	}
}

const char *dt_type_name(struct dt_cc *c, struct dt_type *t)
{
	char buf[256];

	if (!t)
		return "<unknown>";
	if (t->name &&
	    (t->kind != DT_T_ALIAS || (strcmp(t->name, "const") && strcmp(t->name, "volatile"))))
		return t->name;
	type_name(t, buf, sizeof(buf), 0);
	return dt_strndup(c, buf, strlen(buf));
}

bool dt_type_same(struct dt_type *a, struct dt_type *b)
{
	for (;;) {
		a = dt_resolve(a);
		b = dt_resolve(b);
		if (a == b)
			return true;
		if (!a || !b || a->kind != b->kind)
			return false;
		if (a->abi[0] && a->abi[0] == b->abi[0]) /* one structure, two layouts */
			return true;
		switch ((enum dt_tkind)a->kind) {
		case DT_T_INT:
			return a->size == b->size && a->is_signed == b->is_signed;
		case DT_T_FLOAT:
			return a->size == b->size;
		case DT_T_ARRAY:
			if (a->nelem != b->nelem)
				return false;
			break;
		case DT_T_PTR:
			if (a->size != b->size)
				return false;
			break;
		case DT_T_FUNC:
			break;
		case DT_T_VOID:
		case DT_T_STRING:
		case DT_T_STRUCT:
		case DT_T_UNION:
		case DT_T_ENUM:
		case DT_T_ALIAS:
		case DT_T_DYN:
			return false;
		}
		a = a->ref;
		b = b->ref;
	}
}

struct dt_type *dt_type_named(struct dt_cc *c, const char *name)
{
	struct dt_type *t = dt_map_get(&c->p->types, name);

	return t ? t : dt_type_lx(c, LX_SYS64, name);
}

/* A type that is only known by name: pointers to it can be passed on and compared. */
static struct dt_type *opaque(struct dt_cc *c, const char *name, size_t len)
{
	struct dt_type *t = type_new(c, strncmp(name, "union ", 6) ? DT_T_STRUCT : DT_T_UNION,
				     dt_strndup(c, name, len), 0);

	t->given = true;
	dt_map_put(c, &c->p->types, t->name, t);
	return t;
}

/* A pointer to what a 32-bit guest has in memory: its long and its pointers take four bytes. */
static struct dt_type *narrow(struct dt_cc *c, struct dt_type *t, size_t stars)
{
	struct dt_type *r = dt_resolve(t), *p;

	if (r == c->p->t_long)
		t = c->p->t_int;
	else if (r == c->p->t_ulong)
		t = c->p->t_uint;
	while (--stars) {
		p = type_new(c, DT_T_PTR, NULL, 4);
		p->ref = t;
		t = p;
	}
	return dt_type_ptr(c, t);
}

struct dt_type *dt_type_lookup_abi(struct dt_cc *c, enum lx_abi abi, const char *text)
{
	size_t n = strlen(text), stars = 0;
	struct dt_type *t = NULL;
	char buf[128];

	for (;;) {
		if (n && text[n - 1] == '*')
			stars++, n--;
		else if (n && isspace((unsigned char)text[n - 1]))
			n--;
		else if (n > 5 && !strncmp(text + n - 5, "const", 5))
			n -= 5;
		else
			break;
	}
	for (;;) {
		if (n > 6 && !strncmp(text, "const ", 6))
			text += 6, n -= 6;
		else if (n > 9 && !strncmp(text, "volatile ", 9))
			text += 9, n -= 9;
		else
			break;
	}
	if (!n || n >= sizeof(buf))
		return NULL;
	memcpy(buf, text, n);
	buf[n] = '\0';
	if (!strcmp(buf, "unsigned"))
		strcpy(buf, "unsigned int");
	if (abi == LX_SYS32)
		t = dt_type_lx(c, abi, buf);
	if (!t)
		t = dt_type_named(c, buf);
	if (t && abi == LX_SYS32 && t->abi[abi])
		t = t->abi[abi];
	if (!t && (stars || !strncmp(buf, "struct ", 7) || !strncmp(buf, "union ", 6)))
		t = opaque(c, buf, n);
	if (t && abi == LX_SYS32 && stars)
		t = narrow(c, t, stars);
	else
		while (t && stars--)
			t = dt_type_ptr(c, t);
	return t;
}

struct dt_type *dt_type_lookup(struct dt_cc *c, const char *text)
{
	return dt_type_lookup_abi(c, LX_SYS64, text);
}

bool dt_is_int(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && (t->kind == DT_T_INT || t->kind == DT_T_ENUM);
}

bool dt_is_string(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && t->kind == DT_T_STRING;
}

bool dt_is_ptr(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && (t->kind == DT_T_PTR || t->kind == DT_T_ARRAY);
}

struct dt_type *dt_pointee(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && (t->kind == DT_T_PTR || t->kind == DT_T_ARRAY) ? t->ref : NULL;
}

bool dt_is_strcompat(struct dt_type *t)
{
	struct dt_type *to = dt_resolve(dt_pointee(t));

	return dt_is_string(t) || (to && to->kind == DT_T_INT && to->is_char);
}

bool dt_is_scalar(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && (t->kind == DT_T_INT || t->kind == DT_T_ENUM || t->kind == DT_T_PTR);
}

bool dt_is_byref(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && (t->kind == DT_T_STRUCT || t->kind == DT_T_UNION || t->kind == DT_T_ARRAY ||
		     t->kind == DT_T_FLOAT);
}

bool dt_is_void(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && t->kind == DT_T_VOID;
}

bool dt_is_dyn(struct dt_type *t)
{
	t = dt_resolve(t);
	return !t || t->kind == DT_T_DYN;
}

bool dt_is_signed(struct dt_type *t)
{
	t = dt_resolve(t);
	return t && t->is_signed;
}

bool dt_is_vfptr(struct dt_type *t)
{
	t = dt_resolve(dt_pointee(t));
	return t && (t->kind == DT_T_VOID || t->kind == DT_T_FUNC);
}

struct dt_type *dt_type_promote(struct dt_cc *c, struct dt_type *t)
{
	struct dt_type *r = dt_resolve(t);

	if (r->kind == DT_T_ENUM || (r->kind == DT_T_INT && r->size < 4))
		return c->p->t_int;
	return t;
}

struct dt_type *dt_type_arith(struct dt_cc *c, struct dt_type *a, struct dt_type *b)
{
	struct dt_type *ra, *rb;

	a = dt_type_promote(c, a);
	b = dt_type_promote(c, b);
	ra = dt_resolve(a);
	rb = dt_resolve(b);
	if (ra->size != rb->size)
		return ra->size > rb->size ? a : b;
	if (ra->is_signed != rb->is_signed)
		return ra->is_signed ? b : a;
	return a;
}

int64_t dt_type_convert(struct dt_type *t, int64_t v)
{
	t = dt_resolve(t);
	switch (t->size) {
	case 1:
		return t->is_signed ? (int64_t)(int8_t)v : (int64_t)(uint8_t)v;
	case 2:
		return t->is_signed ? (int64_t)(int16_t)v : (int64_t)(uint16_t)v;
	case 4:
		return t->is_signed ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
	default:
		return v;
	}
}

struct dt_member *dt_type_member(struct dt_type *t, const char *name, uint32_t *off)
{
	struct dt_member *m, *in;

	t = dt_resolve(t);
	for (m = t->member; m; m = m->next) {
		if (m->name) {
			if (!strcmp(m->name, name)) {
				*off += m->off;
				return m;
			}
		} else if (!m->bits && (dt_resolve(m->type)->kind == DT_T_STRUCT ||
					dt_resolve(m->type)->kind == DT_T_UNION)) {
			in = dt_type_member(m->type, name, off);
			if (in) {
				*off += m->off;
				return in;
			}
		}
	}
	return NULL;
}
