/* The D machine's functions: strings, paths, numbers, guest memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/dvm_asm.h"

static struct dvm_opts opts;

static char guest[4096];     /* guest memory at GUEST */
#define GUEST 0x400000ull
static int acted, act_arg;

static int guest_in(const struct dvm_event *ev, uint64_t addr, void *dst, size_t n)
{
	if (addr < GUEST || addr - GUEST > sizeof(guest) || n > sizeof(guest) - (addr - GUEST))
		return -EFAULT;
	memcpy(dst, guest + (addr - GUEST), n);
	return 0;
}

static int guest_out(const struct dvm_event *ev, uint64_t addr, const void *src, size_t n)
{
	if (addr < GUEST || addr - GUEST > sizeof(guest) || n > sizeof(guest) - (addr - GUEST))
		return -EFAULT;
	memcpy(guest + (addr - GUEST), src, n);
	return 0;
}

static long guest_str(const struct dvm_event *ev, uint64_t addr, char *dst, size_t cap)
{
	size_t n;

	if (addr < GUEST || addr - GUEST >= sizeof(guest))
		return -EFAULT;
	n = strnlen(guest + (addr - GUEST), sizeof(guest) - (addr - GUEST));
	if (n > cap - 1)
		n = cap - 1;
	memcpy(dst, guest + (addr - GUEST), n);
	dst[n] = 0;
	return (long)n;
}

static int guest_act(const struct dvm_event *ev, int f, uint64_t arg)
{
	if (f == DVM_F_PROGENYOF)
		return arg == 77;
	acted = f;
	act_arg = (int)arg;
	return 0;
}

static const struct dvm_ops ops = { .copyin = guest_in, .copyout = guest_out, .copyinstr = guest_str, .act = guest_act };

/* Runs code that leaves its result in r1; as string (type 's') or integer. The text of the result; "(null)" for a NULL string,
 * "fault N" after a fault. */
static const char *outcome(struct dasm *a, char type)
{
	static char out[1 << 17];
	const struct dvm_rec *rec;
	const struct dvm_item *i;
	struct drun *r;
	uint32_t j;

	if (type == 's') {
		j = da_op(a, DVM_JNZ, 0, 1, 0, 0);
		da_ls(a, 1, "(null)");
		da_here(a, j);
		da_op(a, DVM_RSTR, 0, 1, 0, 0);
	} else {
		da_op(a, DVM_RINT, 0, 1, 0, 0);
	}
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	r = da_run(a, &opts);
	r->ev.ops = &ops;
	da_fire(r, 0);
	rec = da_rec(r);
	assert_non_null(rec);
	if (rec->kind == DVM_REC_ERROR) {
		sprintf(out, "fault %u %llx", rec->fault, (unsigned long long)rec->addr);
	} else {
		i = da_item(rec, 0);
		if (type == 's')
			sprintf(out, "%.*s", (int)i->len, (const char *)(i + 1));
		else
			sprintf(out, "%lld", (long long)*(const int64_t *)(i + 1));
	}
	da_free(r);
	return out;
}

/* Calls f: fmt has s (string, may be NULL) or i (long long) per argument. */
static const char *call(int f, char result, const char *fmt, ...)
{
	struct dasm *a = da_new();
	unsigned n = 0;
	va_list ap;

	da_begin(a, 0);
	va_start(ap, fmt);
	for (; *fmt; fmt++, n++) {
		const char *s = *fmt == 's' ? va_arg(ap, const char *) : NULL;

		if (*fmt == 'i')
			da_li(a, 10 + n, (uint64_t)va_arg(ap, long long));
		else if (s)
			da_ls(a, 10 + n, s);
		else
			da_li(a, 10 + n, 0);
	}
	va_end(ap);
	da_op(a, DVM_CALL, 1, 10, n, f);
	return outcome(a, result);
}

#define STR(want, f, ...) assert_string_equal(call(DVM_F_##f, 's', __VA_ARGS__), want)
#define INT(want, f, ...) assert_string_equal(call(DVM_F_##f, 'i', __VA_ARGS__), #want)
#define L(x) ((long long)(x))

static void test_search(void **state)
{
	INT(0, STRLEN, "s", "");
	INT(5, STRLEN, "s", "hello");
	STR("llo", STRCHR, "si", "hello", L('l'));
	STR("lo", STRRCHR, "si", "hello", L('l'));
	STR("(null)", STRCHR, "si", "hello", L('z'));
	STR("(null)", STRRCHR, "si", "hello", L('z'));
	STR("", STRCHR, "si", "hello", L(0));
	STR("hello", STRRCHR, "si", "hello", L('h'));
	STR("world", STRSTR, "ss", "hello world", "wor");
	STR("hello", STRSTR, "ss", "hello", "");
	STR("(null)", STRSTR, "ss", "hello", "hellos");
	STR("", STRSTR, "ss", "", "");
	INT(3, INDEX, "ss", "foobarbaz", "bar");
	INT(-1, INDEX, "ss", "foobarbaz", "bat");
	INT(6, INDEX, "ssi", "foobarbaz", "ba", L(4));
	INT(3, INDEX, "ssi", "foobarbaz", "ba", L(-4));
	INT(-1, INDEX, "ssi", "foobarbaz", "ba", L(400));
	INT(9, INDEX, "ssi", "foobarbaz", "", L(400));
	INT(0, INDEX, "ss", "foobarbaz", "");
	INT(-1, INDEX, "ss", "", "a");
	INT(0, INDEX, "ss", "", "");
	INT(6, RINDEX, "ss", "foobarbaz", "ba");
	INT(3, RINDEX, "ssi", "foobarbaz", "ba", L(5));
	INT(3, RINDEX, "ssi", "foobarbaz", "ba", L(3));
	INT(-1, RINDEX, "ssi", "foobarbaz", "ba", L(2));
	INT(-1, RINDEX, "ssi", "foobarbaz", "f", L(-1));
	INT(0, RINDEX, "ssi", "foobarbaz", "", L(-1));
	INT(9, RINDEX, "ss", "foobarbaz", "");
	INT(0, RINDEX, "ss", "foobarbaz", "foobarbaz");
	INT(-1, RINDEX, "ss", "foobarbaz", "foobarbazz");
	STR("fault 1 0", STRLEN, "s", NULL);
	STR("fault 1 0", STRSTR, "ss", "x", NULL);
}

/* find() and rfind() against the obvious way, on strings full of near matches. */
static void test_search_random(void **state)
{
	unsigned seed = 5;

	for (int round = 0; round < 400; round++) {
		char h[64], n[8], want[16];
		int hl = rand_r(&seed) % 40, nl = rand_r(&seed) % 5, first = -1, last = -1;

		for (int i = 0; i < hl; i++)
			h[i] = (char)('a' + rand_r(&seed) % 2);
		for (int i = 0; i < nl; i++)
			n[i] = (char)('a' + rand_r(&seed) % 2);
		h[hl] = n[nl] = 0;
		for (int i = 0; i + nl <= hl; i++)
			if (!memcmp(h + i, n, (size_t)nl)) {
				first = first < 0 ? i : first;
				last = i;
			}
		snprintf(want, sizeof(want), "%d", first);
		assert_string_equal(call(DVM_F_INDEX, 'i', "ss", h, n), want);
		snprintf(want, sizeof(want), "%d", last);
		assert_string_equal(call(DVM_F_RINDEX, 'i', "ss", h, n), want);
	}
}

static void test_make(void **state)
{
	static const struct { long long index, count; const char *want; } sub[] = {
		{ 8, 20, "zbop" }, { 4, 4, "arba" }, { 5, 8, "rbazbop" }, { 5, 9, "rbazbop" }, { 400, 20, "" }, { 400, 0, "" },
		{ 400, -1, "" }, { 3, 0, "" }, { 3, -1, "barbazbo" }, { 3, -4, "barba" }, { 3, -20, "" }, { -10, -5, "obarb" },
		{ 0, 400, "foobarbazbop" }, { -1, 400, "p" }, { -1, 0, "" }, { -1, -1, "" }, { -24, 24, "foobarbazbop" },
		{ -24, 12, "" }, { -24, 13, "f" }, { -12, 12, "foobarbazbop" }, { -12, 11, "foobarbazbo" },
		{ INT64_MIN, INT64_MAX, "foobarbazbop" }, { INT64_MAX, INT64_MIN, "" }, { INT64_MIN, INT64_MIN, "" },
	};

	for (unsigned i = 0; i < sizeof(sub) / sizeof(sub[0]); i++)
		STR(sub[i].want, SUBSTR, "sii", "foobarbazbop", sub[i].index, sub[i].count);
	STR("barbazbop", SUBSTR, "si", "foobarbazbop", L(3));
	STR("", SUBSTR, "si", "foobarbazbop", L(300));
	STR("obarbazbop", SUBSTR, "si", "foobarbazbop", L(-10));
	STR("p", SUBSTR, "si", "foobarbazbop", L(11));
	STR("", SUBSTR, "si", "foobarbazbop", L(12));
	STR("", SUBSTR, "si", "foobarbazbop", L(13));
	STR("foobar", STRJOIN, "ss", "foo", "bar");
	STR("foo", STRJOIN, "ss", "foo", "");
	STR("ABC-1Z", TOUPPER, "s", "abc-1z");
	STR("abc[1z", TOLOWER, "s", "ABC[1Z");
	STR("-1234", LLTOSTR, "i", L(-1234));
	STR("-9223372036854775808", LLTOSTR, "i", L(INT64_MIN));
	STR("0", LLTOSTR, "i", L(0));
	STR("0x0", LLTOSTR, "ii", L(0), L(16));
	STR("0xffffffffffffffff", LLTOSTR, "ii", L(-1), L(16));
	STR("010", LLTOSTR, "ii", L(8), L(8));
	STR("0", LLTOSTR, "ii", L(0), L(8));
	STR("101", LLTOSTR, "ii", L(5), L(2));
	STR("zz", LLTOSTR, "ii", L(35 * 36 + 35), L(36));
	STR("fault 3 0", LLTOSTR, "ii", L(5), L(1));
	INT(1234, STRTOLL, "s", "1234");
	INT(-1234, STRTOLL, "s", "  \t-1234xyz");
	INT(7, STRTOLL, "s", "+7");
	INT(0, STRTOLL, "s", "abc");
	INT(0, STRTOLL, "s", "");
	INT(255, STRTOLL, "si", "0xff", L(16));
	INT(255, STRTOLL, "si", "fF", L(16));
	INT(0, STRTOLL, "si", "0x", L(16));
	INT(8, STRTOLL, "si", "10", L(8));
	INT(-9223372036854775808, STRTOLL, "s", "-9223372036854775808");
	INT(13330, HTONS, "i", L(0x1234));
	INT(2018915346, HTONL, "i", L(0x12345678));
	INT(-1167088121787636991, NTOHLL, "i", L(0x0123456789abcdef));
	INT(8, GETMAJOR, "i", L(8 << 20 | 1));
	INT(1, GETMINOR, "i", L(8 << 20 | 1));
	STR("text", STRINGOF, "s", "text");
}

static void test_paths(void **state)
{
	static const struct { const char *path, *base, *dir; } p[] = {
		{ "", ".", "." }, { "/", "/", "/" }, { "//", "/", "/" }, { "foo", "foo", "." }, { "foo/", "foo", "." },
		{ "/foo", "foo", "/" }, { "//foo", "foo", "/" }, { "/foo/", "foo", "/" }, { "/foo/bar", "bar", "/foo" },
		{ "foo/bar", "bar", "foo" }, { "foo//bar//", "bar", "foo" }, { "/foo//bar", "bar", "/foo" },
		{ ".", ".", "." }, { "..", "..", "." }, { "///a///b///", "b", "///a" },
	};
	static const char *const clean[][2] = {
		{ "/foo/bar", "/foo/bar" }, { "//foo///bar", "/foo/bar" }, { "/foo/./bar", "/foo/bar" },
		{ "/foo/../bar", "/bar" }, { "/foo/bar/..", "/foo/" }, { "/foo/bar/.", "/foo/bar/." }, { "/..", "/" },
		{ "/../foo", "/foo" }, { "/../../foo/./../bar", "/bar" }, { "/foo/..bar", "/foo/..bar" }, { "/foo/...", "/foo/..." },
		{ "foo/../bar", "/bar" }, { "/.foo", "/.foo" }, { "", "" }, { "/", "/" }, { "//", "/" }, { "/foo/", "/foo/" },
		{ "../foo", "../foo" }, { "/a/b/c/../../d", "/a/d" },
	};

	for (unsigned i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		STR(p[i].base, BASENAME, "s", p[i].path);
		STR(p[i].dir, DIRNAME, "s", p[i].path);
	}
	for (unsigned i = 0; i < sizeof(clean) / sizeof(clean[0]); i++)
		STR(clean[i][1], CLEANPATH, "s", clean[i][0]);
}

/* Each string a clause of one firing: strtok() goes on over clauses. */
static void test_strtok(void **state)
{
	static const char *const want[] = { "Carrots", "Barley", "Oatmeal", "Beans", NULL, NULL };
	struct dasm *a = da_new();
	const struct dvm_rec *rec;
	struct drun *r;
	uint32_t j;

	for (int i = 0; i < 6; i++) {
		da_begin(a, DVM_CL_RECORD);
		i ? da_li(a, 10, 0) : da_ls(a, 10, ",,,Carrots,,Barley,Oatmeal,,,Beans,");
		da_ls(a, 11, ",");
		da_op(a, DVM_CALL, 1, 10, 2, DVM_F_STRTOK);
		j = da_op(a, DVM_JZ, 0, 1, 0, 0);
		da_op(a, DVM_RSTR, 0, 1, 0, 0);
		da_here(a, j);
		da_end(a);
	}
	da_probe(a, DVM_P_TICK, 6, 0, 1, 2, 3, 4, 5);
	r = da_run(a, NULL);
	da_fire(r, 0);
	for (int i = 0; i < 6; i++) {
		rec = da_rec(r);
		assert_non_null(rec);
		if (!want[i]) {
			assert_null(da_item(rec, 0));
			continue;
		}
		assert_int_equal(da_item(rec, 0)->len, strlen(want[i]));
		assert_memory_equal(da_item(rec, 0) + 1, want[i], strlen(want[i]));
	}
	da_free(r);
	STR("(null)", STRTOK, "ss", NULL, ",");
	STR("(null)", STRTOK, "ss", "", ",");
	STR("(null)", STRTOK, "ss", ",,,", ",");
	STR("a,b", STRTOK, "ss", "a,b", "");
	STR("fault 1 0", STRTOK, "ss", "a,b", NULL);
}

/* inet_ntop(af, alloca'ed bytes) */
static const char *inet(int f, int af, const uint8_t *bytes, unsigned n)
{
	struct dasm *a = da_new();

	da_begin(a, 0);
	da_li(a, 2, n);
	da_op(a, DVM_CALL, 11, 2, 1, DVM_F_ALLOCA);
	for (unsigned i = 0; i < n; i++) {
		da_li(a, 3, bytes[i]);
		da_op(a, DVM_ST8, 0, 11, 3, i);
	}
	da_li(a, 10, (uint64_t)af);
	da_op(a, DVM_CALL, 1, f == DVM_F_INET_NTOP ? 10 : 11, f == DVM_F_INET_NTOP ? 2 : 1, f);
	return outcome(a, 's');
}

static void test_inet(void **state)
{
	static const struct { uint8_t b[16]; const char *want; } v6[] = {
		{ { 0 }, "::" }, { { [15] = 1 }, "::1" }, { { 0x20, 1, 0xd, 0xb8, [15] = 1 }, "2001:db8::1" },
		{ { 0xfe, 0x80, [8] = 1, [9] = 2, [15] = 9 }, "fe80::102:0:0:9" }, { { 0xff, 2 }, "ff02::" },
		{ { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 }, "::ffff:10.0.0.1" }, { { [12] = 1, 2, 3, 4 }, "::1.2.3.4" },
		{ { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 }, "1:2:3:4:5:6:7:8" },
		{ { 0, 1, 0, 0, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 }, "1:0:3:4:5:6:7:8" },
		{ { 0, 0, 0, 0, 0, 3, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0 }, "0:0:3:4:5::" },
	};
	static const uint8_t v4[4] = { 192, 168, 0, 255 };

	for (unsigned i = 0; i < sizeof(v6) / sizeof(v6[0]); i++) {
		assert_string_equal(inet(DVM_F_INET_NTOP, 10, v6[i].b, 16), v6[i].want);
		assert_string_equal(inet(DVM_F_INET_NTOA6, 0, v6[i].b, 16), v6[i].want);
	}
	assert_string_equal(inet(DVM_F_INET_NTOP, 2, v4, 4), "192.168.0.255");
	assert_string_equal(inet(DVM_F_INET_NTOA, 0, v4, 4), "192.168.0.255");
	assert_string_equal(inet(DVM_F_INET_NTOP, 7, v4, 4), "fault 3 0");
	assert_string_equal(inet(DVM_F_INET_NTOP, 10, v4, 4), "fault 1 d701000000000000");
}

static void test_guest(void **state)
{
	struct dasm *a;
	char want[64];

	memset(guest, 'g', sizeof(guest));
	strcpy(guest + 16, "guest text");
	STR("guest text", COPYINSTR, "i", L(GUEST + 16));
	STR("guest", COPYINSTR, "ii", L(GUEST + 16), L(6));
	STR("", COPYINSTR, "ii", L(GUEST + 16), L(1));
	STR("fault 1 10", COPYINSTR, "i", L(16));
	assert_int_equal(strlen(call(DVM_F_COPYINSTR, 's', "i", L(GUEST + 100))), 255);
	STR("fault 1 0", COPYIN, "ii", L(0), L(4));
	snprintf(want, sizeof(want), "fault 1 %llx", GUEST + 4090);
	STR(want, COPYIN, "ii", L(GUEST + 4090), L(100));
	STR("fault 5 0", COPYIN, "ii", L(GUEST), L(1 << 20));

	/* stringof(copyin(p, 5)), though more was copied in before and after */
	a = da_new();
	da_begin(a, 0);
	da_li(a, 10, GUEST + 16);
	da_li(a, 11, 5);
	da_op(a, DVM_CALL, 2, 10, 2, DVM_F_COPYIN);
	da_op(a, DVM_CALL, 3, 10, 2, DVM_F_COPYIN);
	da_op(a, DVM_CALL, 1, 2, 1, DVM_F_STRINGOF);
	assert_string_equal(outcome(a, 's'), "guest");

	/* copyinto(), bcopy() */
	a = da_new();
	da_begin(a, 0);
	da_li(a, 10, 32);
	da_op(a, DVM_CALL, 2, 10, 1, DVM_F_ALLOCA);
	da_li(a, 10, GUEST + 16);
	da_li(a, 11, 10);
	da_op(a, DVM_MOV, 12, 2, 0, 0);
	da_op(a, DVM_CALL, 0, 10, 3, DVM_F_COPYINTO);
	da_op(a, DVM_MOV, 10, 2, 0, 0);
	da_op(a, DVM_ADDI, 11, 2, 0, 3); /* overlapping */
	da_li(a, 12, 10);
	da_op(a, DVM_CALL, 0, 10, 3, DVM_F_BCOPY);
	da_op(a, DVM_MOV, 1, 2, 0, 0);
	assert_string_equal(outcome(a, 's'), "gueguest text");

	STR("fault 7 400010", COPYOUTSTR, "si", "out", L(GUEST + 16));
	opts.destructive = 1;
	INT(0, COPYOUTSTR, "si", "out", L(GUEST + 16));
	assert_memory_equal(guest + 16, "out\0t text", 11);
	INT(0, COPYOUTSTR, "sii", "abcdef", L(GUEST + 16), L(2));
	assert_memory_equal(guest + 16, "abt\0t text", 11);
	STR("fault 1 10", COPYOUTSTR, "si", "out", L(16));
	INT(0, COPYOUT, "sii", "xyz", L(GUEST + 16), L(3));
	assert_memory_equal(guest + 16, "xyz\0t text", 11);
	INT(0, RAISE, "i", L(9));
	assert_int_equal(acted, DVM_F_RAISE);
	assert_int_equal(act_arg, 9);
	INT(0, STOP, "");
	assert_int_equal(acted, DVM_F_STOP);
	INT(0, CHILL, "i", L(500));
	assert_int_equal(act_arg, 500);
	opts.destructive = 0;
	STR("fault 7 0", RAISE, "i", L(9));
	INT(1, PROGENYOF, "i", L(77));
	INT(1, PROGENYOF, "i", L(10));
	INT(0, PROGENYOF, "i", L(78));
	/* a program may not copy into a string constant */
	assert_non_null(strstr(call(DVM_F_BCOPY, 'i', "ssi", "abc", "def", L(3)), "fault 1 d7"));
}

/* Every string function at small and large strsize. */
static void test_strsize(void **state)
{
	char *big = malloc(40000), *join;

	memset(big, 'x', 40000);
	big[30000] = 0;
	opts.strsize = 8;
	STR("xxxxxxx", STRJOIN, "ss", "xxxx", "xxxxxxxx");
	INT(7, STRLEN, "s", big);
	STR("XXXXXXX", TOUPPER, "s", big);
	STR("1234567", LLTOSTR, "i", L(123456789));
	STR("xxxxxx", SUBSTR, "si", big, L(1));
	STR("xxxxxxx", CLEANPATH, "s", big);
	STR("/xxxxxx", CLEANPATH, "s", "/xxxxxxxxxxx");
	memset(guest, 'g', sizeof(guest));
	STR("ggggggg", COPYINSTR, "i", L(GUEST));
	STR("ggggggg", COPYINSTR, "ii", L(GUEST), L(100));
	opts.strsize = 1;
	STR("", STRJOIN, "ss", "xxxx", "xxxxxxxx");
	STR("", TOUPPER, "s", big);
	STR("", COPYINSTR, "i", L(GUEST));
	opts.strsize = 1 << 20;
	opts.bufsize = 8 << 20;
	INT(30000, STRLEN, "s", big);
	join = strdup(call(DVM_F_STRJOIN, 's', "ss", big, "yyy"));
	assert_int_equal(strlen(join), 30003);
	assert_string_equal(join + 30000, "yyy");
	INT(30000, INDEX, "ss", join, "yyy");
	free(join);
	free(big);
	dvm_opts_default(&opts);
}

static void test_rand(void **state)
{
	char first[32];
	bool differs = false;

	snprintf(first, sizeof(first), "%s", call(DVM_F_RAND, 'i', ""));
	for (int i = 0; i < 3; i++) { /* a fresh arena each time: the same first number */
		long long v = atoll(call(DVM_F_RAND, 'i', ""));

		assert_true(v >= 0 && v < 1ll << 31);
	}
	for (int i = 0; i < 8; i++) {
		struct dasm *a = da_new();

		da_begin(a, 0);
		for (int k = 0; k <= i; k++)
			da_op(a, DVM_CALL, 1, 0, 0, DVM_F_RAND);
		differs |= strcmp(outcome(a, 'i'), first) != 0;
	}
	assert_true(differs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search), cmocka_unit_test(test_search_random), cmocka_unit_test(test_make),
		cmocka_unit_test(test_paths),  cmocka_unit_test(test_strtok),        cmocka_unit_test(test_inet),
		cmocka_unit_test(test_guest),  cmocka_unit_test(test_strsize),       cmocka_unit_test(test_rand),
	};

	dvm_opts_default(&opts);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
