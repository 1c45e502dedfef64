/* Options: how each kind of value is written, what is refused, the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dtrace/options.h"
#include "dvm/dvm.h"

static void good(const char *name, const char *value, enum dt_opt i, uint64_t want)
{
	struct dt_opts o;
	struct err e = { 0 };

	dt_opts_init(&o);
	if (dt_opt_set(&o, name, value, &e) < 0)
		fail_msg("%s=%s: %s", name, value ? value : "(none)", e.msg);
	assert_int_equal(o.val[i], want);
	assert_true(o.set[i]);
	dt_opts_free(&o);
}

static void bad(const char *name, const char *value, const char *msg)
{
	struct dt_opts o;
	struct err e = { 0 };

	dt_opts_init(&o);
	if (dt_opt_set(&o, name, value, &e) == 0)
		fail_msg("%s=%s was taken", name, value ? value : "(none)");
	assert_string_equal(e.msg, msg);
	dt_opts_free(&o);
}

static const char name_msg[] = "Invalid option name", value_msg[] = "Invalid value for specified option";

static void test_defaults(void **state)
{
	struct dt_opts o;

	(void)state;
	dt_opts_init(&o);
	assert_int_equal(o.val[DT_OPT_STRSIZE], 256);
	assert_int_equal(o.val[DT_OPT_BUFSIZE], 4 << 20);
	assert_int_equal(o.val[DT_OPT_SWITCHRATE], 1000000000);
	assert_int_equal(o.val[DT_OPT_QUIET], 0);
	assert_false(o.set[DT_OPT_QUIET]);
	dt_opts_free(&o);
}

static void test_bool(void **state)
{
	static const char *const on[] = { "yes", "ON", "true", "enable", "enabled", "set", "1", "17" };
	static const char *const off[] = { "no", "off", "False", "disable", "disabled", "unset", "0", "" };

	(void)state;
	good("quiet", NULL, DT_OPT_QUIET, 1);
	for (size_t i = 0; i < 8; i++) {
		good("quiet", on[i], DT_OPT_QUIET, 1);
		good("quiet", off[i], DT_OPT_QUIET, 0);
	}
	bad("quiet", "perhaps", value_msg);
	bad("quiet", "-1", value_msg);
}

static void test_size(void **state)
{
	(void)state;
	good("bufsize", "4096", DT_OPT_BUFSIZE, 4096);
	good("bufsize", "16k", DT_OPT_BUFSIZE, 16384);
	good("bufsize", "2M", DT_OPT_BUFSIZE, 2 << 20);
	good("bufsize", "1g", DT_OPT_BUFSIZE, 1 << 30);
	good("specsize", "2t", DT_OPT_SPECSIZE, UINT64_C(2) << 40);
	good("strsize", "0x40", DT_OPT_STRSIZE, 64);
	bad("bufsize", NULL, value_msg);
	bad("bufsize", "", value_msg);
	bad("bufsize", "k", value_msg);
	bad("bufsize", "4kk", value_msg);
	bad("bufsize", "-4k", value_msg);
	bad("bufsize", "9g", value_msg);
	bad("specsize", "99999999t", value_msg);
	bad("specsize", "99999999999999999999", value_msg);
	bad("strsize", "1", value_msg);
	bad("strsize", "2g", value_msg);
}

static void test_rate(void **state)
{
	(void)state;
	good("switchrate", "10hz", DT_OPT_SWITCHRATE, 100000000);
	good("switchrate", "10", DT_OPT_SWITCHRATE, 10);
	good("switchrate", "5ms", DT_OPT_SWITCHRATE, 5000000);
	good("switchrate", "5msec", DT_OPT_SWITCHRATE, 5000000);
	good("aggrate", "7us", DT_OPT_AGGRATE, 7000);
	good("statusrate", "2s", DT_OPT_STATUSRATE, 2000000000);
	good("statusrate", "2m", DT_OPT_STATUSRATE, UINT64_C(120000000000));
	good("statusrate", "1h", DT_OPT_STATUSRATE, UINT64_C(3600000000000));
	good("statusrate", "1day", DT_OPT_STATUSRATE, UINT64_C(86400000000000));
	good("cleanrate", "0hz", DT_OPT_CLEANRATE, 0);
	bad("switchrate", "5 s", value_msg);
	bad("switchrate", "5parsec", value_msg);
	bad("switchrate", NULL, value_msg);
	bad("switchrate", "999999999999d", value_msg);
}

static void test_words_and_text(void **state)
{
	struct dt_opts o;

	(void)state;
	good("bufpolicy", "ring", DT_OPT_BUFPOLICY, DVM_BUF_RING);
	good("bufpolicy", "fill", DT_OPT_BUFPOLICY, DVM_BUF_FILL);
	bad("bufpolicy", "Ring", value_msg);
	bad("bufpolicy", NULL, value_msg);
	good("ustackframes", "5", DT_OPT_USTACKFRAMES, 5);
	bad("ustackframes", "5x", value_msg);
	bad("", NULL, name_msg);
	bad("quite", NULL, name_msg);
	bad("Quiet", NULL, name_msg);
	bad("define", NULL, value_msg);
	dt_opts_init(&o);
	assert_int_equal(dt_opt_set(&o, "define", "A=1", NULL), 0);
	assert_int_equal(dt_opt_set(&o, "define", "B", NULL), 0);
	assert_string_equal(o.str[DT_OPT_DEFINE], "A=1\nB");
	assert_int_equal(dt_opt_set(&o, "record", "one", NULL), 0);
	assert_int_equal(dt_opt_set(&o, "record", "two", NULL), 0);
	assert_string_equal(o.str[DT_OPT_RECORD], "two");
	assert_true(dt_opt_dynamic("quiet"));
	assert_false(dt_opt_dynamic("bufsize"));
	assert_false(dt_opt_dynamic("nonsense"));
	dt_opts_free(&o);
}

static void test_environment(void **state)
{
	struct err e = { 0 };
	struct dt_opts o;

	(void)state;
	setenv("DTRACE_OPT_BUFSIZE", "64k", 1);
	setenv("DTRACE_OPT_NONSENSE", "1", 1);
	dt_opts_init(&o);
	assert_int_equal(dt_opts_from_env(&o, &e), 0);
	assert_int_equal(o.val[DT_OPT_BUFSIZE], 65536);
	setenv("DTRACE_OPT_BUFSIZE", "big", 1);
	assert_true(dt_opts_from_env(&o, &e) < 0);
	assert_string_equal(e.msg, "failed to set DTRACE_OPT_BUFSIZE: Invalid value for specified option");
	unsetenv("DTRACE_OPT_BUFSIZE");
	unsetenv("DTRACE_OPT_NONSENSE");
	dt_opts_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_bool), cmocka_unit_test(test_size), cmocka_unit_test(test_rate),
		cmocka_unit_test(test_words_and_text), cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
