/* Integer constants: decimal, octal, hexadecimal, with C's suffixes. */
#include "dtrace/dt_impl.h"

#include <ctype.h>
#include <string.h>

static int digit_of(int ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	ch |= 32;
	return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : 99;
}

/* Reads the constant at s into t; returns the bytes it took. */
size_t dt_lex_number(struct dt_cc *c, struct dt_token *t, const char *s)
{
	const char *p = s;
	unsigned base = 10, d;
	bool over = false;
	uint64_t v = 0;

	if (p[0] == '0' && (p[1] | 32) == 'x' && isxdigit((unsigned char)p[2])) {
		base = 16;
		p += 2;
	} else if (*p == '0') {
		base = 8;
	}
	t->decimal = base == 10;
	for (; (d = (unsigned)digit_of((unsigned char)*p)) < (base == 16 ? 16 : 10); p++) {
		if (d >= base)
			dt_fail(c, c->line, D_INT_DIGIT, "constant %.*s contains invalid digit %c",
				(int)(strspn(s, "0123456789")), s, *p);
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			over = true;
	}
	if (base != 16 &&
	    (*p == '.' || ((*p | 32) == 'e' && (isdigit((unsigned char)p[1]) || p[1] == '-'))))
		dt_fail(c, c->line, D_SYNTAX, "floating-point constants are not permitted");
	if (over)
		dt_fail(c, c->line, D_INT_OFLOW, "constant %.*s results in integer overflow",
			(int)(p - s), s);
	if ((*p | 32) == 'u') {
		t->has_u = true;
		p++;
	}
	while ((*p | 32) == 'l' && t->longs < 2) {
		t->longs++;
		p++;
	}
	if (!t->has_u && (*p | 32) == 'u') {
		t->has_u = true;
		p++;
	}
	t->val = v;
	return (size_t)(p - s);
}
