/* The D compiler: expressions and their types, variables, clauses, run on the machine with a fake event. */
#include "tests/unit/d_run.h"

static void arithmetic(void **state)
{
	d_value("1 + 2", "3");
	d_value("1 + 2 * 3 - 4 / 2", "5");
	d_value("-7 / 2", "-3");
	d_value("-7 % 3", "-1");
	d_value("7 & 3 | 8 ^ 1", "11");
	d_value("1 << 4 >> 2", "4");
	d_value("~0", "-1");
	d_value("!5 + !0", "1");
	d_value("- - 3", "3");
	d_value("1 ? 2 : 3", "2");
	d_value("0 ? 2 : 1 ? 4 : 5", "4");
	d_value("(1, 2, 3)", "3");
	d_value("1 && 0 || 1", "1");
	d_value("1 ^^ 1", "0");
	d_value("1 ^^ 0", "1");
	d_value("2 > 1 == 1", "1");
	/* the same at run time */
	d_value("arg0 + 2 * arg4 - arg0 / 2", "12");
	d_value("-arg0 / 2", "-3");
	d_value("-arg0 % 3", "-1");
	d_value("arg0 & 3 | 8 ^ 1", "11");
	d_value("arg0 << 4 >> 2", "28");
	d_value("~arg0", "-8");
	d_value("!arg0", "0");
	d_value("arg0 && arg5", "0");
	d_value("arg5 || arg0", "1");
	d_value("arg0 ^^ arg5", "1");
	d_value("arg0 ^^ arg0", "0");
	d_value("arg0 > 6 ? arg0 : 0", "7");
	d_value("arg0 > 7 ? 1 : 5", "5");
}

static void conversions(void **state)
{
	d_value("2147483647 + 1", "-2147483648");
	d_value("2147483647u + 1", "2147483648");
	d_value("4294967295u + 1", "0");
	d_value("2147483647L + 1", "2147483648");
	d_value("-1 < 1u", "0");
	d_value("-1 < 1", "1");
	d_value("-1L < 1u", "1");
	d_value("-1 > 0ul", "1");
	d_value("(char)300", "44");
	d_value("(unsigned char)-1", "255");
	d_value("(short)0x18000", "-32768");
	d_value("(uint8_t)arg2", "255");
	d_value("(int8_t)arg2", "-1");
	d_value("(int)arg3", "1450744508");
	d_value("(uint32_t)arg3", "1450744508");
	d_value("(int)arg2 / 2u", "2147483647");
	d_value("0xffffffff", "4294967295");
	d_value("4294967295", "4294967295");
	d_value("0x7fffffffffffffff", "9223372036854775807");
	d_value("0xffffffffffffffff", "18446744073709551615");
	d_value("18446744073709551615", "18446744073709551615");
	d_value("010", "8");
	d_value("'a'", "97");
	d_value("'\\n'", "10");
	d_value("'\\x41'", "65");
	d_value("'\\101'", "65");
	d_value("'ab'", "24930");
	d_value("'\\''", "39");
	d_value("sizeof(int)", "4");
	d_value("sizeof(long)", "8");
	d_value("sizeof(char *)", "8");
	d_value("sizeof (short) + sizeof 1L", "10");
	d_value("sizeof(\"abc\")", "4");
	d_value("-9223372036854775807 - 1", "-9223372036854775808");
	d_value("(-9223372036854775807 - 1) / -1", "-9223372036854775808");
	d_value("1 ? 1 : 1L", "1");
	d_value("(unsigned char)200 + (unsigned char)100", "300");
	d_value("-(unsigned char)1", "-1");
	d_value("1u - 2", "4294967295");
	d_value("-1 >> 1", "-1");
	d_value("0xffffffffu >> 1", "2147483647");
}

static void builtins(void **state)
{
	d_value("pid", "42");
	d_value("tid", "43");
	d_value("execname", "top");
	d_value("zonename", "web");
	d_value("probeprov", "dtrace");
	d_value("probename", "BEGIN");
	d_value("id", "1");
	d_value("errno", "2");
	d_value("timestamp", "5000000000");
	d_value("cpu", "1");
	d_value("lxhow", "pass");
	d_value("ENOENT", "2");
	d_value("SIGKILL", "9");
	d_value("O_RDWR", "2");
	d_value("NULL", "0");
}

static void variables(void **state)
{
	d_expect("BEGIN { x = 5; x += 2; x++; trace(x); }", "8\n");
	d_expect("BEGIN { x = 5; trace(x++); trace(++x); trace(x--); trace(--x); }", "5 7 7 5\n");
	d_expect("BEGIN { trace(x = 4); trace(x *= 3); trace(x -= 2); trace(x /= 2); trace(x %= 3); trace(x <<= 4); trace(x >>= 1); "
		 "trace(x |= 3); trace(x &= 6); trace(x ^= 7); }", "4 12 10 5 2 32 16 19 2 5\n");
	d_expect("BEGIN { self->x = 3; this->y = 4; trace(self->x * this->y); }", "12\n");
	d_expect("BEGIN { this->s = \"ab\"; self->t = strjoin(this->s, \"cd\"); g = self->t; trace(g); trace(this->s); }", "abcd ab\n");
	d_expect("BEGIN { a[1] = 5; a[2] = 6; a[1] += a[2]; trace(a[1]); trace(a[2]); trace(a[3]); }", "11 6 0\n");
	d_expect("BEGIN { a[\"x\", 1] = \"one\"; a[\"x\", 2] = \"two\"; trace(a[\"x\", 1]); trace(a[\"x\", 2]); trace(a[\"y\", 1]); }",
		 "one two \n");
	d_expect("BEGIN { self->a[pid, execname] = 9; trace(self->a[42, \"top\"]); self->a[42, \"top\"] = 0; trace(self->a[42, \"top\"]); }",
		 "9 0\n");
	d_expect("BEGIN { a[1] = 2; a[2] = 3; b[3] = 99; trace(b[a[a[1]]]); }", "99\n");
	d_expect("BEGIN { a[1] = 1; i = 1; a[i++] += 10; trace(a[1]); trace(i); }", "11 2\n");
	d_expect("int x; char c; unsigned char u; BEGIN { c = 200; u = 200; x = 0x100000001; trace(c); trace(u); trace(x); }",
		 "-56 200 1\n");
	d_expect("self int y; this string s; string a[int, string]; BEGIN { self->y = 1; this->s = \"q\"; a[1, \"b\"] = this->s; "
		 "trace(a[1, \"b\"]); trace(self->y); }", "q 1\n");
	d_expect("BEGIN { s = \"x\"; s = 0; trace(s); self->s = \"y\"; self->s = 0; trace(self->s); a[1] = \"z\"; a[1] = 0; trace(a[1]); }",
		 "  \n");
	d_expect("BEGIN /x++ == 0/ { trace(x); }", "1\n");
	d_expect("BEGIN /x == 0/ { trace(x++); }", "0\n");
	d_expect("BEGIN { x = 1; } BEGIN /x == 1/ { trace(\"yes\"); } BEGIN /x != 1/ { trace(\"no\"); }", "yes\n");
}

static void strings(void **state)
{
	d_value("strlen(\"hello\")", "5");
	d_value("\"abc\" == \"abc\"", "1");
	d_value("\"abc\" < \"abd\"", "1");
	d_value("\"b\" >= \"abd\"", "1");
	d_value("execname != \"top\"", "0");
	d_value("substr(\"hello\", 1, 3)", "ell");
	d_value("index(\"hello\", \"l\")", "2");
	d_value("rindex(\"hello\", \"l\")", "3");
	d_value("basename(\"/a/b\")", "b");
	d_value("dirname(\"/a/b\")", "/a");
	d_value("strjoin(\"a\", strjoin(\"b\", \"c\"))", "abc");
	d_value("lltostr(-12)", "-12");
	d_value("strtoll(\"0x10\", 16)", "16");
	d_value("toupper(\"aBc\")", "ABC");
	d_value("strchr(\"abcabc\", 'b')", "bcabc");
	d_value("strstr(\"abcabc\", \"ca\")", "cabc");
	d_value("1 ? \"x\" : \"y\"", "x");
	d_value("\"ab\\tc\"", "ab\tc");
	d_value("htons(0x1234)", "13330");
	d_value("ntohl(0x01020304)", "67305985");
	d_value("\"xyz\"[1]", "121");
	d_expect("BEGIN { strtok(\"a,b\", \",\"); trace(strtok(0, \",\")); }", "b\n");
}

static void guest_memory(void **state)
{
	memset(d_guest_mem, 0, sizeof(d_guest_mem));
	memcpy(d_guest_mem, "hello world", 12);
	((int32_t *)d_guest_mem)[4] = -5;
	d_value("copyinstr(arg1)", "hello world");
	d_value("copyinstr(arg1, 6)", "hello");
	d_value("*(int *)copyin(arg1 + 16, 4)", "-5");
	d_value("((int *)copyin(arg1, 20))[4]", "-5");
	d_value("*((char *)copyin(arg1, 5) + 1)", "101");
	d_value("((char *)copyin(arg1, 5))[4]", "111");
	d_value("*(unsigned short *)copyin(arg1, 2)", "25960");
	d_value("stringof((char *)copyin(arg1, 12))", "hello world");
	d_value("strlen((char *)copyin(arg1, 12))", "11");
	d_expect("BEGIN { this->p = (int *)alloca(8); this->p[0] = 3; this->p[1] = this->p[0] + 1; trace(this->p[1]); trace(*this->p); }",
		 "4 3\n");
	d_expect("BEGIN { this->p = (int *)alloca(16); this->q = this->p + 3; trace(this->q - this->p); trace(this->q > this->p); }", "3 1\n");
	d_expect("BEGIN { trace(copyinstr(0)); }", "fault invalid address\n");
	d_expect("BEGIN { tracemem(copyin(arg1, 4), 4); }", "68656c6c\n");
	d_expect("BEGIN { trace(1 / arg5); }", "fault divide-by-zero\n");
}

static void records(void **state)
{
	d_expect("BEGIN {}", "\n");
	d_expect("BEGIN", "\n");
	d_expect("BEGIN { x = 1; }", "");
	d_expect("BEGIN { @ = count(); }", "");
	d_expect("BEGIN /0/ {}", "");
	d_expect("BEGIN /1/ {}", "\n");
	d_expect("BEGIN /arg0 == 7 && execname == \"top\"/ { trace(1); }", "1\n");
	d_expect("BEGIN { printf(\"%d\\n\", 1 + 2); exit(0); }", "3 0\n");
	d_expect("BEGIN { printf(\"x\\n\"); }", "\n");
	d_expect("BEGIN, BEGIN { trace(1); }", "1\n1\n");
	d_expect("BEGIN { trace(1) }", "1\n");
	d_expect("BEGIN { if (arg0 == 7) { trace(1); } else { trace(2); } trace(3); }", "1\n3\n");
	d_expect("BEGIN { if (arg0 == 8) { trace(1); } else { trace(2); } trace(3); }", "2\n3\n");
	d_expect("BEGIN { if (arg0) if (arg5) trace(1); else trace(2); }", "2\n");
	d_expect("BEGIN /arg0 == 8/ { if (1) trace(1); trace(2); }", "");
}

static void aggregations(void **state)
{
	struct d_run *r = calloc(1, sizeof(*r));
	struct dt_aggmeta *m;
	uint32_t n;

	assert_int_equal(d_compile(r, "BEGIN { @[probefunc, pid] = count(); @a = sum(arg0); @q[execname] = quantize(arg0); "
				      "@l = lquantize(arg0, 0, 100, 10); @ll = llquantize(arg0, 10, 0, 6, 20); @m = avg(1); }"), 0);
	m = dt_prog_aggs(r->prog, &n);
	assert_int_equal(n, 6);
	assert_string_equal(m[0].name, "");
	assert_int_equal(m[0].nkey, 2);
	assert_int_equal(m[0].key[0].kind, DT_VAL_STRING);
	assert_int_equal(m[0].key[1].kind, DT_VAL_INT);
	assert_int_equal(m[0].key[1].size, 4);
	assert_string_equal(m[1].name, "a");
	assert_int_equal(m[3].func, DVM_AGG_LQUANTIZE);
	d_fire(r, "BEGIN BEGIN");
	d_free(r);
	free(r);
}

static void structures(void **state)
{
	memset(d_guest_mem, 0, sizeof(d_guest_mem));
	((int32_t *)d_guest_mem)[1] = 77;
	d_value("sizeof(struct { char a; long b; short c; })", "24");
	d_expect("struct s { int a; int b; }; BEGIN { trace(((struct s *)copyin(arg1, 8))->b); }", "77\n");
	d_expect("struct s { int a; int b; }; struct s v; BEGIN { v = *(struct s *)copyin(arg1, 8); trace(v.b); v.a = 3; trace(v.a); }",
		 "77 3\n");
	d_expect("typedef unsigned int u_t; u_t x; BEGIN { x = -1; trace(x); trace(sizeof(u_t)); }", "4294967295 4\n");
	d_expect("struct b { unsigned a : 3; int b : 5; unsigned c : 24; }; struct b v; BEGIN { v.a = 5; v.b = -2; v.c = 1000; trace(v.a); "
		 "trace(v.b); trace(v.c); v.b++; trace(v.b); trace(v.a); }", "5 -2 1000 -1 5\n");
	d_expect("enum e { A, B = 5, C }; BEGIN { trace(C); trace((enum e)1); }", "6 1\n");
	d_value("offsetof(struct { char a; int b; }, b)", "4");
	d_expect("inline int X = 3 + 4; inline int twice[int a] = a * 2; BEGIN { trace(X); trace(twice[X]); }", "7 14\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),   cmocka_unit_test(conversions), cmocka_unit_test(builtins),
		cmocka_unit_test(variables),    cmocka_unit_test(strings),     cmocka_unit_test(guest_memory),
		cmocka_unit_test(records),      cmocka_unit_test(aggregations), cmocka_unit_test(structures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
