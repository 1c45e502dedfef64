/* Formats of printf() and printa(): parsing, checks with their tags, and what comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dtrace/format.h"
#include "dtrace/print.h"

struct item {
	struct dvm_item h;
	uint8_t data[256];
} __attribute__((aligned(8)));

/* A value of a type, given as text: "int8 -1", "u4 7", "str text". */
struct value {
	struct dt_val v;
	struct item it;
};

static struct value vint(unsigned size, bool is_signed, int64_t n)
{
	struct value x = { .v = { .kind = DT_VAL_INT, .size = (uint8_t)size, .is_signed = is_signed }, .it.h = { DVM_I_INT, 8 } };

	x.v.type = (char *)(size == 8 ? is_signed ? "int64_t" : "uint64_t" : is_signed ? "int" : "uint32_t");
	memcpy(x.it.data, &n, 8);
	return x;
}

static struct value vstr(const char *s)
{
	struct value x = { .v = { .kind = DT_VAL_STRING, .type = (char *)"string" }, .it.h = { DVM_I_STR, (uint32_t)strlen(s) } };

	memcpy(x.it.data, s, strlen(s));
	return x;
}

static struct value vptr(uint64_t n)
{
	struct value x = vint(8, false, (int64_t)n);

	x.v.type = (char *)"char *";
	return x;
}

static void check(const char *fmt, bool printa, const char *tag, unsigned n, const struct value *val)
{
	struct err e = { 0 };
	struct dt_fmt *f;
	struct dt_val v[8];
	int r = dt_fmt_parse(fmt, printa, &f, &e);

	for (unsigned i = 0; i < n; i++)
		v[i] = val[i].v;
	if (r == 0)
		r = dt_fmt_check(f, printa ? "printa" : "printf", v, n, &e);
	if (r == 0 && tag)
		fail_msg("\"%s\" was taken", fmt);
	if (r < 0 && (!tag || strcmp(e.tag, tag)))
		fail_msg("\"%s\": [%s] %s", fmt, e.tag, e.msg);
	dt_fmt_free(f);
}

static void prints(const char *want, const char *fmt, unsigned n, const struct value *val)
{
	struct err e = { 0 };
	struct dt_datum d[8];
	struct dt_fmt *f;
	char *text;
	size_t len;
	struct dt_print p = { .out = open_memstream(&text, &len), .stackindent = 14 };

	check(fmt, false, NULL, n, val);
	assert_int_equal(dt_fmt_parse(fmt, false, &f, &e), 0);
	for (unsigned i = 0; i < n; i++)
		d[i] = (struct dt_datum){ &val[i].v, &val[i].it.h };
	dt_fmt_print(&p, f, d, n, NULL, 0);
	fclose(p.out);
	assert_string_equal(text, want);
	free(text);
	dt_fmt_free(f);
}

#define V(...) (sizeof((struct value[]){ __VA_ARGS__ }) / sizeof(struct value)), (struct value[]){ __VA_ARGS__ }
#define I4(n) vint(4, true, n)
#define I8(n) vint(8, true, n)
#define U4(n) vint(4, false, n)
#define U8(n) vint(8, false, (int64_t)(n))

static void test_numbers(void **state)
{
	(void)state;
	prints("-1", "%d", V(I4(-1)));
	prints("4294967295", "%d", V(U4(-1)));
	prints("4294967295", "%u", V(I4(-1)));
	prints("ffffffff", "%x", V(I4(-1)));
	prints("FFFF", "%X", V(vint(2, true, -1)));
	prints("377", "%o", V(vint(1, true, -1)));
	prints("18446744073709551615", "%u", V(I8(-1)));
	prints("18446744073709551615", "%d", V(U8(-1)));
	prints("-9223372036854775808", "%d", V(I8(INT64_MIN)));
	prints("   42|42   |00042|+42| 42|0x2a", "%5d|%-5d|%05d|%+d|% d|%#x", V(I4(42), I4(42), I4(42), I4(42), I4(42), I4(42)));
	prints("  007", "%5.3d", V(I4(7)));
	prints("    7|7    |007", "%*d|%-*d|%.*d", V(I4(5), I4(7), I4(5), I4(7), I4(3), I4(7)));
	prints("7    ", "%*d", V(I4(-5), I4(7)));
	prints("A", "%c", V(I4(65)));
	prints("1234", "%lld", V(I8(1234)));
	prints("1234", "%lx", V(I8(0x1234)));
	prints("deadbeef", "%p", V(vptr(0xdeadbeef)));
	prints("              ff", "%?x", V(I4(255)));
	prints("0xff", "%a", V(vptr(255)));
	prints("100%", "%d%%", V(I4(100)));
	prints("%", "%%", 0, NULL);
	prints("plain\n", "plain\n", 0, NULL);
}

static void test_strings(void **state)
{
	(void)state;
	prints("hello", "%s", V(vstr("hello")));
	prints("     hello|hello     |he", "%10s|%-10s|%.2s", V(vstr("hello"), vstr("hello"), vstr("hello")));
	prints("a\\n\\t\\\"\\\\\\001b", "%S", V(vstr("a\n\t\"\\\001b")));
	prints("\\n", "%C", V(I4('\n')));
	prints("[]", "[%s]", V(vstr("")));
	prints("\xff\xfe", "%s", V(vstr("\xff\xfe")));
}

static void test_time(void **state)
{
	(void)state;
	setenv("TZ", "UTC0", 1);
	prints("1973 Dec  3 17:20:00", "%Y", V(U8(123787200000000000)));
	prints("Mon, 03 Dec 1973 17:20:00 UTC", "%T", V(U8(123787200000000000)));
}

static void test_errors(void **state)
{
	(void)state;
	check("", false, "D_PRINTF_FMT_EMPTY", 0, NULL);
	check("%d", false, "D_PRINTF_ARG_PROTO", 0, NULL);
	check("%d", false, "D_PRINTF_ARG_EXTRA", V(I4(1), I4(2)));
	check("x", false, "D_PRINTF_ARG_EXTRA", V(I4(1)));
	check("%d", false, "D_PRINTF_ARG_TYPE", V(vstr("x")));
	check("%s", false, "D_PRINTF_ARG_TYPE", V(I4(1)));
	check("%s", false, "D_PRINTF_ARG_TYPE", V(vptr(1)));
	check("%d", false, "D_PRINTF_ARG_TYPE", V(vptr(1)));
	check("%c", false, "D_PRINTF_ARG_TYPE", V(I8(1)));
	check("%f", false, "D_PRINTF_ARG_TYPE", V(I4(1)));
	check("%k", false, "D_PRINTF_ARG_TYPE", V(I4(1)));
	check("%Y", false, "D_PRINTF_ARG_TYPE", V(I4(1)));
	check("%ld", false, "D_PRINTF_ARG_TYPE", V(I4(1)));
	check("%hd", false, "D_PRINTF_ARG_TYPE", V(I4(1)));
	check("%*d", false, "D_PRINTF_DYN_PROTO", 0, NULL);
	check("%*d", false, "D_PRINTF_DYN_TYPE", V(vstr("x"), I4(1)));
	check("%*d", false, "D_PRINTF_ARG_PROTO", V(I4(1)));
	check("%@d", false, "D_PRINTF_AGG_CONV", 0, NULL);
	check("%z", false, "D_PRINTF_FMT_UNDEF", 0, NULL);
	check("%", false, "D_PRINTF_FMT_UNDEF", 0, NULL);
	check("%5%", false, "D_PRINTF_FMT_UNDEF", 0, NULL);
	check("%1$d", false, "D_PRINTF_FMT_UNDEF", V(I4(1)));
	check("%1..2d", false, "D_PRINTF_FMT_UNDEF", V(I4(1)));
	check("%**d", false, "D_PRINTF_FMT_UNDEF", V(I4(1)));
	check("%s", true, NULL, V(vstr("x"), I4(1)));
	check("%s %@d", true, NULL, V(vstr("x")));
	check("%s %s", true, "D_PRINTF_ARG_PROTO", V(vstr("x")));
	check("%@s", true, "D_PRINTF_ARG_TYPE", 0, NULL);
}

/* What a damaged buffer may hold: nothing runs over, nothing hangs. */
static void test_hostile(void **state)
{
	struct value none = I4(1), wrong = vstr("x"), wide = I4(INT32_MAX);
	struct dt_datum d[2] = { { &none.v, NULL }, { &none.v, &wrong.it.h } };
	struct dt_print p = { .out = fopen("/dev/null", "w") };
	struct err e = { 0 };
	struct dt_fmt *f;

	(void)state;
	assert_int_equal(dt_fmt_parse("%d %d %*.*d %s", false, &f, &e), 0);
	dt_fmt_print(&p, f, d, 2, NULL, 0);
	d[0].it = d[1].it = &wide.it.h;
	dt_fmt_print(&p, f, d, 2, NULL, 0);
	dt_fmt_print(&p, f, NULL, 0, NULL, 0);
	dt_fmt_free(f);
	assert_int_equal(dt_fmt_parse("%99999999999999999999d%.99999999999999d", false, &f, &e), 0);
	dt_fmt_print(&p, f, d, 2, NULL, 0);
	dt_fmt_free(f);
	fclose(p.out);
}

static void hist(const char *want, const struct dvm_agg *desc, const int64_t *data, int64_t normal)
{
	struct dt_aggval a = { desc, (const uint64_t *)data, normal };
	char *text;
	size_t len;
	struct dt_print p = { .out = open_memstream(&text, &len) };

	dt_print_aggval(&p, &a);
	fclose(p.out);
	assert_string_equal(text, want);
	free(text);
}

#define HEAD "\n           value  ------------- Distribution ------------- count    \n"

static void test_quantize(void **state)
{
	struct dvm_agg d = { .func = DVM_AGG_QUANTIZE, .ndata = DVM_QUANTIZE_NBUCKETS };
	int64_t b[DVM_QUANTIZE_NBUCKETS] = { 0 };

	(void)state;
	hist(HEAD "              -1 |                                         0        \n"
		  "               0 |                                         0        \n"
		  "               1 |                                         0        \n",
	     &d, b, 1);
	b[63 + 1] = 1;
	b[63 + 2] = 3;
	hist(HEAD "               0 |                                         0        \n"
		  "               1 |@@@@@@@@@@                               1        \n"
		  "               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
		  "               4 |                                         0        \n",
	     &d, b, 1);
	b[63 - 1] = -4;
	hist(HEAD "              -2                     |                     0        \n"
		  "              -1           @@@@@@@@@@|                     -4       \n"
		  "               0                     |                     0        \n"
		  "               1                     |@@@                  1        \n"
		  "               2                     |@@@@@@@@             3        \n"
		  "               4                     |                     0        \n",
	     &d, b, 1);
	b[63 + 1] = b[63 + 2] = 0;
	hist(HEAD "              -2                                         | 0        \n"
		  "              -1 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -2       \n"
		  "               0                                         | 0        \n",
	     &d, b, 2);
	b[62] = 0;
	b[63] = 7;
	b[64] = 1;
	hist(HEAD "              -1 |                                         0        \n"
		  "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@      7        \n"
		  "               1 |@@@@@                                    1        \n"
		  "               2 |                                         0        \n",
	     &d, b, 0);
}

static void test_lquantize(void **state)
{
	struct dvm_agg d = { .func = DVM_AGG_LQUANTIZE, .ndata = 12, .base = 0, .limit = 100, .step = 10 };
	int64_t b[12] = { 0 };

	(void)state;
	b[0] = 1;
	b[11] = 1;
	b[3] = 2;
	hist(HEAD "             < 0 |@@@@@@@@@@                               1        \n"
		  "               0 |                                         0        \n"
		  "              10 |                                         0        \n"
		  "              20 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
		  "              30 |                                         0        \n"
		  "              40 |                                         0        \n"
		  "              50 |                                         0        \n"
		  "              60 |                                         0        \n"
		  "              70 |                                         0        \n"
		  "              80 |                                         0        \n"
		  "              90 |                                         0        \n"
		  "          >= 100 |@@@@@@@@@@                               1        \n",
	     &d, b, 1);
}

static void test_scalars(void **state)
{
	struct dvm_agg avg = { .func = DVM_AGG_AVG, .ndata = 2 }, sd = { .func = DVM_AGG_STDDEV, .ndata = 4 },
		       sum = { .func = DVM_AGG_SUM, .ndata = 1 };
	int64_t none[4] = { 0 }, a[4] = { 4, -20, 0, 0 }, s[4] = { 4, 20, 4 * 25 + 16, 0 }, min = INT64_MIN;

	(void)state;
	hist("                0", &avg, none, 1);
	hist("               -5", &avg, a, 1);
	hist("                0", &sd, none, 1);
	hist("                2", &sd, s, 1);
	hist("              -20", &sum, a + 1, 1);
	hist("               -4", &sum, a + 1, 5);
	hist(" -9223372036854775808", &sum, &min, 0);
	hist(" -9223372036854775808", &sum, &min, -1);
}

static void traces(const char *want, bool quiet, struct value v)
{
	struct dt_datum d = { &v.v, &v.it.h };
	char *text;
	size_t len;
	struct dt_print p = { .out = open_memstream(&text, &len), .quiet = quiet };

	dt_print_trace(&p, &d);
	fclose(p.out);
	assert_string_equal(text, want);
	free(text);
}

static void test_trace(void **state)
{
	struct value bytes = { .v = { .kind = DT_VAL_BYTES, .bytes = 4 }, .it = { { DVM_I_BYTES, 4 }, { 1, 'a', 'b', 255 } } };

	(void)state;
	traces("                  -1", false, I8(-1));
	traces(" 18446744073709551615", false, U8(-1));
	traces("         -1", false, I4(-1));
	traces(" 4294967295", false, U4(-1));
	traces("    -1", false, vint(2, true, -1));
	traces(" 255", false, vint(1, false, 255));
	traces("-1", true, I8(-1));
	traces("  hello                            ", false, vstr("hello"));
	traces("hello", true, vstr("hello"));
	traces("\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
	       "         0: 01 61 62 ff                                      .ab.\n",
	       true, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_strings), cmocka_unit_test(test_time), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_quantize), cmocka_unit_test(test_lquantize),
		cmocka_unit_test(test_scalars), cmocka_unit_test(test_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
