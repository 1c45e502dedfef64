/* Macro arguments ($1, $$1) and variables ($pid, $target) in expressions and in probe descriptions. */
#include "dtrace/dt_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool macro_var(struct dt_cc *c, const char *name, int64_t *v)
{
	if (!strcmp(name, "pid"))
		*v = getpid();
	else if (!strcmp(name, "ppid"))
		*v = getppid();
	else if (!strcmp(name, "uid"))
		*v = getuid();
	else if (!strcmp(name, "euid"))
		*v = geteuid();
	else if (!strcmp(name, "gid"))
		*v = getgid();
	else if (!strcmp(name, "egid"))
		*v = getegid();
	else if (!strcmp(name, "sid"))
		*v = getsid(0);
	else if (!strcmp(name, "pgid"))
		*v = getpgid(0);
	else if (!strcmp(name, "target") && c->src->target >= 0)
		*v = c->src->target;
	else
		return false;
	return true;
}

/* Argument number n, or NULL where defaultargs says that an absent one is fine. */
static const char *macro_arg(struct dt_cc *c, unsigned long n, const char *text)
{
	if (n < (unsigned long)(c->src->argc > 0 ? c->src->argc : 0)) {
		c->argused[n] = true;
		return c->src->argv[n];
	}
	if (!c->p->opts || !c->p->opts->val[DT_OPT_DEFAULTARGS])
		dt_fail(c, c->line, D_MACRO_UNDEF, "macro argument %s is not defined", text);
	return NULL;
}

static void as_string(struct dt_cc *c, struct dt_token *t, const char *v, bool strip)
{
	size_t len = strlen(v);
	char *s;

	if (strip && len > 1 && v[0] == '"' && v[len - 1] == '"')
		s = dt_strndup(c, v + 1, len - 2);
	else
		s = dt_strndup(c, v, len);
	t->kind = DT_TK_STRING;
	t->len = (uint32_t)dt_lex_unescape(s, strlen(s));
	t->text = s;
}

/* Is all of s an integer with an optional sign, or an identifier? */
static bool is_int(const char *s)
{
	size_t n;

	s += *s == '-' || *s == '+';
	if (!isdigit((unsigned char)*s))
		return false;
	n = s[0] == '0' && (s[1] | 32) == 'x' ? 2 + strspn(s + 2, "0123456789abcdefABCDEF")
					      : strspn(s, "0123456789");
	return !s[n + strspn(s + n, "uUlL")];
}

static bool is_word(const char *s)
{
	const char *p = s;

	while (dt_lex_is_ident((unsigned char)*p, p == s))
		p++;
	return p > s && !*p;
}

static void subst(struct dt_cc *c, struct dt_token *t, const char *v, const char *text)
{
	bool neg;
	size_t n;

	if (is_int(v)) {
		neg = *v == '-';
		v += *v == '-' || *v == '+';
		n = strspn(v, "0123456789");
		if (n > 20 || (n == 20 && v[1] != 'x' && strcmp(v, "18446744073709551615") > 0))
			dt_fail(c, c->line, D_MACRO_OFLOW,
				"macro argument %s constant %s results in integer overflow", text,
				v);
		t->kind = DT_TK_INT;
		dt_lex_number(c, t, v);
		t->neg = neg;
	} else if (is_word(v)) {
		t->kind = DT_TK_IDENT;
		t->text = dt_strndup(c, v, strlen(v));
		t->kw = dt_lex_keyword(t->text);
	} else {
		as_string(c, t, v, true);
	}
}

void dt_macro(struct dt_cc *c, struct dt_token *t)
{
	bool quote = *c->pos == '$';
	const char *s = c->pos + quote, *p = s;
	char *name, *text;
	int64_t v;

	while (dt_lex_is_ident((unsigned char)*p, false))
		p++;
	if (isdigit((unsigned char)*s))
		for (p = s; isdigit((unsigned char)*p); p++)
			;
	name = dt_strndup(c, s, (size_t)(p - s));
	text = dt_strndup(c, t->start, (size_t)(p - t->start));
	if (p == s)
		dt_fail(c, c->line, D_SYNTAX, "syntax error near \"$\"");
	c->pos = p;
	if (isdigit((unsigned char)*name)) {
		const char *arg = macro_arg(c, strtoul(name, NULL, 10), text);

		if (quote)
			as_string(c, t, arg ? arg : "", false);
		else
			subst(c, t, arg ? arg : "0", text);
		return;
	}
	if (!macro_var(c, name, &v))
		dt_fail(c, c->line, D_MACRO_UNDEF, "macro variable %s is not defined", text);
	if (quote) {
		char buf[24];

		snprintf(buf, sizeof(buf), "%lld", (long long)v);
		as_string(c, t, buf, false);
		return;
	}
	t->kind = DT_TK_INT;
	t->decimal = true;
	t->val = (uint64_t)v;
}

char *dt_macro_pspec(struct dt_cc *c, const char *s, size_t len, uint32_t line)
{
	const char *end = s + len, *p;
	char *out = dt_alloc(c, 1), *name;
	size_t n = 0, add;

	while (s < end) {
		const char *put;
		char buf[24];
		int64_t v;

		if (*s != '$') {
			for (p = s; p < end && *p != '$'; p++)
				;
			put = s;
			add = (size_t)(p - s);
		} else {
			const char *text = s++;

			s += s < end && *s == '$';
			p = s;
			if (p < end && isdigit((unsigned char)*p))
				while (p < end && isdigit((unsigned char)*p))
					p++;
			else
				while (p < end && dt_lex_is_ident((unsigned char)*p, p == s) &&
				       *p != '`')
					p++;
			name = dt_strndup(c, s, (size_t)(p - s));
			put = buf;
			if (isdigit((unsigned char)*name)) {
				put = macro_arg(c, strtoul(name, NULL, 10),
						dt_strndup(c, text, (size_t)(p - text)));
				put = put ? put : "";
			} else if (macro_var(c, name, &v)) {
				snprintf(buf, sizeof(buf), "%lld", (long long)v);
			} else {
				dt_fail(c, line, D_PDESC_INVAL,
					"invalid probe description \"%.*s\": Undefined macro "
					"variable in "
					"probe description",
					(int)(end - text), text);
			}
			add = strlen(put);
		}
		name = dt_alloc(c, n + add + 1);
		memcpy(name, out, n);
		memcpy(name + n, put, add);
		out = name;
		n += add;
		s = p;
	}
	return out;
}
