/* The D compiler's sources: forms of -P -m -f -n -i, macro arguments, several sources in one program, what it says it
 * matched, the order of clauses, and limits. */
#include "tests/unit/d_run.h"

static struct d_run R;

static void ok_src(const struct dt_source *src, uint32_t matched)
{
	if (d_compile_src(&R, src) < 0)
		fail_msg("%s: [%s] %s", src->text, R.e.tag, R.e.msg);
	assert_int_equal(R.m.probes, matched);
}

static void bad_src(const struct dt_source *src, const char *tag, const char *msg)
{
	assert_int_equal(d_compile_src(&R, src), -EINVAL);
	assert_string_equal(R.e.tag, tag);
	if (!strstr(R.e.msg, msg))
		fail_msg("%s: wanted %s", R.e.msg, msg);
	d_free(&R);
}

static void pspec(const char *text, uint8_t spec, uint32_t matched)
{
	struct dt_source src = { .text = text, .target = -1, .pspec = true, .spec = spec };

	ok_src(&src, matched);
	d_free(&R);
}

static void forms(void **state)
{
	pspec("BEGIN", 0, 1);
	pspec("dtrace:::BEGIN", 0, 1);
	pspec("BEGIN,END", 0, 2);
	pspec("BEGIN /1/ { trace(1); }", 0, 1);
	pspec("dtrace", 3, 3);
	pspec("1", 0, 1);
	pspec("2 { trace(1); }", 0, 1);
	pspec("read", 1, 4);
	pspec("sys64:read", 1, 2);
	bad_src(&(struct dt_source){ .text = "a:b", .pspec = true, .spec = 3 }, "D_PDESC_INVAL", "Overspecified");
	bad_src(&(struct dt_source){ .text = "999999", .pspec = true }, "D_PDESC_ZERO", "does not match any probes");
	bad_src(&(struct dt_source){ .text = "nosuch" }, "D_PDESC_ZERO", "probe description :::nosuch does not match any probes");
	ok_src(&(struct dt_source){ .text = "nosuch { trace(1); }", .zdefs = true }, 0);
	d_free(&R);
	bad_src(&(struct dt_source){ .text = "\n\nBEGIN", .file = "x.d" }, "D_SYNTAX", "line 3: expected predicate and/or actions");
	bad_src(&(struct dt_source){ .text = "" }, "D_EMPTY", "empty D program");
}

/* A glob matches as many probes as its parts do. */
static void globs(void **state)
{
	uint32_t all, reads;

	assert_int_equal(d_compile_src(&R, &(struct dt_source){ .text = "syscall:::entry" }), 0);
	all = R.m.probes;
	d_free(&R);
	assert_int_equal(d_compile_src(&R, &(struct dt_source){ .text = "syscall::*read*:entry" }), 0);
	reads = R.m.probes;
	d_free(&R);
	assert_true(all > 700 && reads > 10 && reads < 40);
	assert_int_equal(d_compile_src(&R, &(struct dt_source){ .text = "syscall:::entry,syscall::*read*:entry { @ = count(); }" }), 0);
	assert_int_equal(R.m.probes, all + reads);
	assert_int_equal(R.img->probes.count, all);
	assert_int_equal(R.img->enablings.count, all + reads);
	d_free(&R);
}

static void macros(void **state)
{
	char *argv[] = { "script", "12", "name", "a b", "\"quoted\"", "-3", "0x1f", "99999999999999999999" };
	struct dt_source src = { .text = "BEGIN { trace($1); trace($$2); trace($3); trace($4); trace($5); trace($6); trace($$0); trace($target); }",
				 .argc = 7, .argv = argv, .target = 77 };

	ok_src(&src, 1);
	assert_string_equal(d_fire(&R, "BEGIN"), "12 name a b quoted -3 31 script 77\n");
	d_free(&R);
	src.text = "BEGIN { name = 5; trace($2); trace(\"$1\"); }";
	src.argc = 3;
	ok_src(&src, 1);
	assert_string_equal(d_fire(&R, "BEGIN"), "5 $1\n");
	d_free(&R);
	argv[2] = "";
	ok_src(&(struct dt_source){ .text = "dtrace$2:::BEGIN", .argc = 3, .argv = argv }, 1);
	d_free(&R);
	src.argc = 8;
	src.text = "BEGIN { trace($7); }";
	bad_src(&src, "D_MACRO_OFLOW", "macro argument $7 constant 99999999999999999999 results in integer overflow");
	src.text = "BEGIN { trace($1); }";
	bad_src(&src, "D_MACRO_UNUSED", "extraneous argument '99999999999999999999' ($7 is not referenced)");
	src.argc = 2;
	src.text = "BEGIN { trace($2); }";
	bad_src(&src, "D_MACRO_UNDEF", "macro argument $2 is not defined");
	bad_src(&(struct dt_source){ .text = "BEGIN { trace($target); }", .target = -1 }, "D_MACRO_UNDEF", "macro variable $target is not defined");
}

static void shared(void **state)
{
	struct dt_source a = { .text = "int x; BEGIN { x = 5; @c = count(); this->l = 1; }" }, b = { .text = "BEGIN { trace(x); @c = count(); "
			       "this->l = \"local names are a source's own\"; }" };
	struct dt_matched m;

	assert_int_equal(d_compile_src(&R, &a), 0);
	free(R.img);
	assert_int_equal(dt_compile(R.prog, &b, &m, &R.e), 0);
	assert_int_equal(m.probes, 1);
	assert_int_equal(dt_prog_image(R.prog, &R.img, &R.len, &R.e), 0);
	assert_int_equal(R.img->aggs.count, 1);
	assert_int_equal(R.img->clauses.count, 2);
	assert_int_equal(R.img->probes.count, 1);
	assert_string_equal(d_fire(&R, "BEGIN"), "5\n");
	d_free(&R);
}

static void where(void **state)
{
	d_error("BEGIN\n{\n\ttrace(nosuch);\n}", "D_IDENT_UNDEF", "line 3: in action list: failed to resolve nosuch");
	d_error("BEGIN\n/nosuch/\n{\n}", "D_IDENT_UNDEF", "line 2: in predicate: failed to resolve nosuch");
	bad_src(&(struct dt_source){ .text = "BEGIN\n{\n\ttrace(nosuch);\n}", .file = "x.d" }, "D_IDENT_UNDEF", "line 3: failed to resolve nosuch");
	bad_src(&(struct dt_source){ .text = "# 10 \"y.h\"\nBEGIN\n{\n\ttrace(nosuch);\n}", .file = "x.d" }, "D_IDENT_UNDEF",
		"\"y.h\", line 12: failed to resolve nosuch");
	bad_src(&(struct dt_source){ .text = "#line 7\nBEGIN { trace(nosuch); }", .file = "x.d" }, "D_IDENT_UNDEF", "line 7: ");
}

/* A program of n clauses of that text, %u replaced by its number. */
static char *repeat(const char *text, unsigned n, const char *head, const char *tail)
{
	size_t size = strlen(head) + strlen(tail) + n * (strlen(text) + 16) + 1, at;
	char *s = malloc(size);

	at = (size_t)snprintf(s, size, "%s", head);
	for (unsigned i = 0; i < n; i++) {
		const char *p = strstr(text, "%u");

		if (p)
			at += (size_t)snprintf(s + at, size - at, "%.*s%u%s", (int)(p - text), text, i, p + 2);
		else
			at += (size_t)snprintf(s + at, size - at, "%s", text);
	}
	snprintf(s + at, size - at, "%s", tail);
	return s;
}

static void big(const char *text, unsigned n, const char *head, const char *tail, const char *tag)
{
	char *s = repeat(text, n, head, tail);

	if (tag)
		d_error(s, tag, "");
	else if (d_compile(&R, s) < 0)
		fail_msg("[%s] %s", R.e.tag, R.e.msg);
	if (!tag)
		d_free(&R);
	free(s);
}

static void limits(void **state)
{
	big("BEGIN { x%u = 1; @a[probefunc] = count(); }\n", 10000, "", "", NULL);
	big("(", 100000, "BEGIN { trace(", "1); }", "D_SYNTAX");
	big("-", 100000, "BEGIN { trace(", "1); }", "D_SYNTAX");
	big("arg0+", 100000, "BEGIN { trace(", "1); }", "D_SYNTAX");
	big("arg0+", 2000, "BEGIN { trace(", "1); }", NULL);
	big("if (1) ", 100000, "BEGIN { ", "; }", "D_SYNTAX");
	big("struct { ", 100000, "", "", "D_SYNTAX");
	big("x ? 1 : ", 100000, "BEGIN { x = 1; trace(", "1); }", "D_SYNTAX");
	big("x = ", 100000, "BEGIN { ", "1; }", "D_SYNTAX");
	big("arg0 + (", 70, "BEGIN { trace(", "1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))); }", "D_NOREGS");
	big("*", 10000, "int ", "x; BEGIN {}", NULL);
	big("int m%u; ", 20000, "struct s { ", "}; BEGIN {}", NULL);
	big("inline int i%u = 1; ", 5000, "", "BEGIN {}", NULL);
	d_error("inline int a = b; inline int b = a; BEGIN { trace(a); }", "D_SYNTAX", "refers to itself");
	d_error("struct s { int m; }; translator struct s < int p > { m = xlate <struct s> (p).m; }; BEGIN { trace(xlate <struct s> (1).m); }",
		"D_SYNTAX", "refers to itself");
	big("1,", 33, "BEGIN { a[", "1] = 1; }", "D_PROTO_LEN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),  cmocka_unit_test(globs), cmocka_unit_test(macros),
		cmocka_unit_test(shared), cmocka_unit_test(where), cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
