/* Formats of printf() and printa(): parsing, and the check of argument types at compile time. A value's own type decides how
 * wide it is read, so size modifiers (h l ll L) only demand that the argument has that size. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/format_impl.h"
#include "dtrace/program.h"

/* What an argument must be. */
enum want { W_INT, W_SMALLINT, W_SIZED, W_FLOAT, W_PTRINT, W_STR, W_WSTR, W_STACK, W_TIME };

struct dt_convdef {
	const char *name;
	uint8_t kind;
	char out;
	uint8_t want;
	uint8_t size; /* W_SIZED: bytes */
	const char *proto;
};

static const char p_int[] = "char, short, int, long, or long long", p_csi[] = "char, short, or int",
		  p_fp[] = "float, double, or long double", p_addr[] = "pointer or integer",
		  p_uaddr[] = "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)",
		  p_str[] = "char [] or string (or use stringof)", p_wstr[] = "wchar_t []";

static const struct dt_convdef convs[] = {
	{ "a", DT_CONV_ADDR, 's', W_PTRINT, 0, p_addr },     { "A", DT_CONV_ADDR, 's', W_PTRINT, 0, p_uaddr },
	{ "c", DT_CONV_SINT, 'c', W_SMALLINT, 0, p_csi },    { "C", DT_CONV_ECHR, 's', W_SMALLINT, 0, p_csi },
	{ "d", DT_CONV_DINT, 'd', W_INT, 0, p_int },         { "i", DT_CONV_DINT, 'd', W_INT, 0, p_int },
	{ "e", DT_CONV_FLOAT, 'e', W_FLOAT, 0, p_fp },       { "E", DT_CONV_FLOAT, 'E', W_FLOAT, 0, p_fp },
	{ "f", DT_CONV_FLOAT, 'f', W_FLOAT, 0, p_fp },       { "F", DT_CONV_FLOAT, 'F', W_FLOAT, 0, p_fp },
	{ "g", DT_CONV_FLOAT, 'g', W_FLOAT, 0, p_fp },       { "G", DT_CONV_FLOAT, 'G', W_FLOAT, 0, p_fp },
	{ "hd", DT_CONV_SINT, 'd', W_SIZED, 2, "short" },    { "hi", DT_CONV_SINT, 'd', W_SIZED, 2, "short" },
	{ "ho", DT_CONV_UINT, 'o', W_SIZED, 2, "unsigned short" }, { "hu", DT_CONV_UINT, 'u', W_SIZED, 2, "unsigned short" },
	{ "hx", DT_CONV_UINT, 'x', W_SIZED, 2, "short" },    { "hX", DT_CONV_UINT, 'X', W_SIZED, 2, "short" },
	{ "hhd", DT_CONV_SINT, 'd', W_SIZED, 1, "char" },    { "hhi", DT_CONV_SINT, 'd', W_SIZED, 1, "char" },
	{ "hho", DT_CONV_UINT, 'o', W_SIZED, 1, "unsigned char" }, { "hhu", DT_CONV_UINT, 'u', W_SIZED, 1, "unsigned char" },
	{ "hhx", DT_CONV_UINT, 'x', W_SIZED, 1, "char" },    { "hhX", DT_CONV_UINT, 'X', W_SIZED, 1, "char" },
	{ "k", DT_CONV_STACK, 's', W_STACK, 0, "stack" },
	{ "lc", DT_CONV_SINT, 'c', W_SIZED, 4, "int" },      { "wc", DT_CONV_SINT, 'c', W_SIZED, 4, "int" },
	{ "ld", DT_CONV_SINT, 'd', W_SIZED, 8, "long" },     { "li", DT_CONV_SINT, 'd', W_SIZED, 8, "long" },
	{ "lo", DT_CONV_UINT, 'o', W_SIZED, 8, "unsigned long" }, { "lu", DT_CONV_UINT, 'u', W_SIZED, 8, "unsigned long" },
	{ "lx", DT_CONV_UINT, 'x', W_SIZED, 8, "long" },     { "lX", DT_CONV_UINT, 'X', W_SIZED, 8, "long" },
	{ "lld", DT_CONV_SINT, 'd', W_SIZED, 8, "long long" }, { "lli", DT_CONV_SINT, 'd', W_SIZED, 8, "long long" },
	{ "llo", DT_CONV_UINT, 'o', W_SIZED, 8, "unsigned long long" }, { "llu", DT_CONV_UINT, 'u', W_SIZED, 8, "unsigned long long" },
	{ "llx", DT_CONV_UINT, 'x', W_SIZED, 8, "long long" }, { "llX", DT_CONV_UINT, 'X', W_SIZED, 8, "long long" },
	{ "ls", DT_CONV_WSTR, 's', W_WSTR, 0, p_wstr },      { "ws", DT_CONV_WSTR, 's', W_WSTR, 0, p_wstr },
	{ "Le", DT_CONV_FLOAT, 'e', W_FLOAT, 0, "long double" }, { "LE", DT_CONV_FLOAT, 'E', W_FLOAT, 0, "long double" },
	{ "Lf", DT_CONV_FLOAT, 'f', W_FLOAT, 0, "long double" },
	{ "Lg", DT_CONV_FLOAT, 'g', W_FLOAT, 0, "long double" }, { "LG", DT_CONV_FLOAT, 'G', W_FLOAT, 0, "long double" },
	{ "o", DT_CONV_UINT, 'o', W_INT, 0, p_int },         { "p", DT_CONV_UINT, 'x', W_PTRINT, 0, p_addr },
	{ "s", DT_CONV_STR, 's', W_STR, 0, p_str },          { "S", DT_CONV_ESTR, 's', W_STR, 0, p_str },
	{ "T", DT_CONV_TIME822, 's', W_TIME, 0, "int64_t" }, { "Y", DT_CONV_YEAR, 's', W_TIME, 0, "int64_t" },
	{ "u", DT_CONV_UINT, 'u', W_INT, 0, p_int },
	{ "x", DT_CONV_UINT, 'x', W_INT, 0, p_int },         { "X", DT_CONV_UINT, 'X', W_INT, 0, p_int },
};

static int fail(struct err *e, const char *tag, int r)
{
	if (e)
		strcpy(e->tag, tag);
	return r;
}

static const char *parse_number(const char *s, int *v)
{
	for (*v = 0; isdigit((unsigned char)*s); s++) {
		if (*v <= 100000)
			*v = *v * 10 + (*s - '0');
	}
	return s;
}

/* Parses one conversion; s points behind its '%'. Returns what follows, NULL after an error. */
static const char *parse_conv(const char *s, struct dt_conv *c, unsigned no, struct err *e)
{
	char name[8];
	size_t len = 0;
	bool dot = false, width = false;

	if (*s == '%') {
		c->kind = DT_CONV_PERCENT;
		return s + 1;
	}
	for (;; s++) {
		switch (*s) {
		case '#': c->flags |= DT_CF_ALT; continue;
		case '+': c->flags |= DT_CF_PLUS; continue;
		case ' ': c->flags |= DT_CF_SPACE; continue;
		case '\'': c->flags |= DT_CF_GROUP; continue;
		case '@': c->flags |= DT_CF_AGG; continue;
		case '-':
			c->flags = (c->flags | DT_CF_LEFT) & ~DT_CF_ZERO;
			continue;
		case '?':
			c->width = 16;
			continue;
		case '*': {
			uint16_t f = dot ? DT_CF_DYNP : DT_CF_DYNW;

			if (c->flags & f) {
				err_msg(e, EINVAL, "format conversion #%u has more than one '*' specified for the output %s", no,
					dot ? "precision" : "width");
				return NULL;
			}
			c->flags |= f;
			continue;
		}
		case '.':
			if (dot) {
				err_msg(e, EINVAL, "format conversion #%u has more than one '.' specified", no);
				return NULL;
			}
			dot = true;
			continue;
		case '$':
			err_msg(e, EINVAL, "format conversion #%u uses unsupported positional format (%%n$)", no);
			return NULL;
		case '%':
			err_msg(e, EINVAL, "format conversion #%u cannot be combined with other format flags: %%%%", no);
			return NULL;
		case '\0':
			err_msg(e, EINVAL, "format conversion #%u name expected before end of format string", no);
			return NULL;
		case 'h': case 'l': case 'L': case 'w':
			if (len < sizeof(name) - 2)
				name[len++] = *s;
			continue;
		default:
			break;
		}
		if (!isdigit((unsigned char)*s))
			break;
		if (*s == '0' && !dot && !width) {
			c->flags = (c->flags | DT_CF_ZERO) & ~DT_CF_LEFT;
			continue;
		}
		s = parse_number(s, dot ? &c->prec : &c->width) - 1;
		width = true;
	}
	name[len++] = *s;
	name[len] = '\0';
	for (size_t i = 0; i < sizeof(convs) / sizeof(convs[0]); i++) {
		if (strcmp(convs[i].name, name))
			continue;
		c->def = &convs[i];
		c->kind = convs[i].kind;
		c->out = convs[i].out;
		return s + 1;
	}
	err_msg(e, EINVAL, "format conversion #%u is undefined: %%%s", no, name);
	return NULL;
}

int dt_fmt_parse(const char *text, bool printa, struct dt_fmt **out, struct err *e)
{
	unsigned max = 1;
	struct dt_fmt *f;
	const char *s;

	*out = NULL;
	for (s = text; (s = strchr(s, '%')); s++)
		max++;
	f = calloc(1, sizeof(*f) + max * sizeof(f->conv[0]));
	if (!f || !(f->text = strdup(text))) {
		free(f);
		return err_set(e, ENOMEM, "format");
	}
	f->printa = printa;
	for (s = f->text; *s;) {
		struct dt_conv *c = &f->conv[f->n++];
		const char *pct = strchrnul(s, '%');

		c->text = s;
		c->textlen = (uint32_t)(pct - s);
		if (!*pct)
			break;
		s = parse_conv(pct + 1, c, f->n, e);
		if (!s) {
			dt_fmt_free(f);
			return fail(e, "D_PRINTF_FMT_UNDEF", -EINVAL);
		}
	}
	*out = f;
	return 0;
}

void dt_fmt_free(struct dt_fmt *f)
{
	if (!f)
		return;
	free(f->text);
	free(f);
}

static bool type_is(const struct dt_val *v, const char *name)
{
	return v->type && !strcmp(v->type, name);
}

static bool is_pointer(const struct dt_val *v)
{
	size_t n = v->type ? strlen(v->type) : 0;

	return v->kind == DT_VAL_INT && n && v->type[n - 1] == '*';
}

static bool is_float(const struct dt_val *v)
{
	return type_is(v, "float") || type_is(v, "double") || type_is(v, "long double");
}

static bool is_int(const struct dt_val *v)
{
	return v->kind == DT_VAL_INT && !is_pointer(v) && !is_float(v);
}

static bool fits(const struct dt_convdef *d, const struct dt_val *v)
{
	switch ((enum want)d->want) {
	case W_INT:
		return is_int(v);
	case W_SMALLINT:
		return is_int(v) && v->size <= 4;
	case W_SIZED:
		return is_int(v) && v->size == d->size;
	case W_FLOAT:
		return is_float(v);
	case W_PTRINT:
		return v->kind == DT_VAL_INT && !is_float(v);
	case W_STR:
		return v->kind == DT_VAL_STRING || (v->kind == DT_VAL_BYTES && v->is_char_array);
	case W_WSTR:
		return v->kind == DT_VAL_BYTES && !v->is_char_array && v->type && !strncmp(v->type, "wchar_t", 7);
	case W_STACK:
		return v->kind == DT_VAL_USTACK;
	case W_TIME:
		return is_int(v) && v->size == 8;
	}
	return false;
}

static const char *type_name(const struct dt_val *v)
{
	if (v->type && *v->type)
		return v->type;
	switch ((enum dt_valkind)v->kind) {
	case DT_VAL_STRING:
		return "string";
	case DT_VAL_USTACK:
		return "stack";
	case DT_VAL_BYTES:
		return "array";
	case DT_VAL_INT:
		break;
	}
	return v->size == 8 ? "int64_t" : "int";
}

/* The arguments for '*' of one conversion. */
static int check_dyn(const struct dt_conv *c, unsigned no, const char *who, const struct dt_val *val, unsigned nval, unsigned *used,
		     struct err *e)
{
	static const struct { uint16_t flag; const char *text; } dyn[] = { { DT_CF_DYNW, "*" }, { DT_CF_DYNP, ".*" } };

	for (unsigned i = 0; i < 2; i++) {
		if (!(c->flags & dyn[i].flag))
			continue;
		if (*used >= nval) {
			return fail(e, "D_PRINTF_DYN_PROTO",
				    err_msg(e, EINVAL,
					    "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding \"%s\" argument",
					    who, no, c->def->name, dyn[i].text));
		}
		if (!is_int(&val[*used])) {
			return fail(e, "D_PRINTF_DYN_TYPE",
				    err_msg(e, EINVAL,
					    "%s( ) argument #%u is incompatible with conversion #%u prototype:\n"
					    "\tconversion: %% %s %s\n\t prototype: int\n\t  argument: %s",
					    who, *used + 2, no, dyn[i].text, c->def->name, type_name(&val[*used])));
		}
		++*used;
	}
	return 0;
}

int dt_fmt_check(const struct dt_fmt *f, const char *who, const struct dt_val *val, unsigned nval, struct err *e)
{
	static const struct dt_val aggval = { .kind = DT_VAL_INT, .size = 8, .is_signed = true, .type = (char *)"int64_t" };
	unsigned used = 0;

	if (!*f->text && strcmp(who, "freopen")) /* freopen("") goes back to the first output */
		return fail(e, "D_PRINTF_FMT_EMPTY", err_msg(e, EINVAL, "%s( ) format string is empty", who));
	for (unsigned i = 0; i < f->n; i++) {
		const struct dt_conv *c = &f->conv[i];
		const struct dt_val *v;
		char what[32] = "aggregating action";
		int r;

		if (!c->def)
			continue;
		r = check_dyn(c, i + 1, who, val, nval, &used, e);
		if (r < 0)
			return r;
		if (c->flags & DT_CF_AGG) {
			if (!f->printa) {
				return fail(e, "D_PRINTF_AGG_CONV",
					    err_msg(e, EINVAL, "%%@ conversion requires an aggregation and is not for use with %s( )",
						    who));
			}
			v = &aggval;
		} else if (used >= nval) {
			return fail(e, "D_PRINTF_ARG_PROTO",
				    err_msg(e, EINVAL,
					    "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding value argument",
					    who, i + 1, c->def->name));
		} else {
			snprintf(what, sizeof(what), "argument #%u", used + 2);
			v = &val[used++];
		}
		if (!fits(c->def, v)) {
			return fail(e, "D_PRINTF_ARG_TYPE",
				    err_msg(e, EINVAL,
					    "%s( ) %s is incompatible with conversion #%u prototype:\n"
					    "\tconversion: %%%s\n\t prototype: %s\n\t  argument: %s",
					    who, what, i + 1, c->def->name, c->def->proto, type_name(v)));
		}
	}
	if (!f->printa && used < nval) {
		return fail(e, "D_PRINTF_ARG_EXTRA",
			    err_msg(e, EINVAL, "%s( ) prototype mismatch: only %u arguments required by this format string", who, used));
	}
	return 0;
}
