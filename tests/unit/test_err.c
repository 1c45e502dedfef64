/* common/host/err: what lands in the message, and that nothing overruns it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "common/host/err.h"

static void set_appends_strerror(void **state)
{
	struct err e = {0};

	assert_int_equal(err_set(&e, ENOENT, "open %s", "/x"), -ENOENT);
	assert_int_equal(e.code, ENOENT);
	assert_string_equal(e.msg, "open /x: No such file or directory");
	assert_int_equal(err_set(&e, 0, "no good"), -EINVAL);
	assert_string_equal(e.msg, "no good");
	assert_string_equal(e.tag, "");
}

static void msg_says_all(void **state)
{
	struct err e = {0};

	assert_int_equal(err_msg(&e, EPERM, "not yours"), -EPERM);
	assert_string_equal(e.msg, "not yours");
}

static void wrap_prefixes(void **state)
{
	struct err e = {0};

	err_msg(&e, EBUSY, "is running");
	strcpy(e.tag, "D_SYNTAX");
	assert_int_equal(err_wrap(&e, "zone %s", "web"), -EBUSY);
	assert_string_equal(e.msg, "zone web: is running");
	assert_string_equal(e.tag, "D_SYNTAX");
}

static void null_is_fine(void **state)
{
	assert_int_equal(err_set(NULL, ENOENT, "x"), -ENOENT);
	assert_int_equal(err_msg(NULL, EPERM, "x"), -EPERM);
}

static void long_messages_are_cut(void **state)
{
	struct err e = {0};
	char big[3 * ERR_MAX];

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, ENOENT, "%s", big);
	assert_int_equal(strlen(e.msg), ERR_MAX - 1);
	for (int i = 0; i < 5; i++)
		err_wrap(&e, "%s", big);
	assert_int_equal(strlen(e.msg), ERR_MAX - 1);
	assert_int_equal(e.code, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_appends_strerror), cmocka_unit_test(msg_says_all),
		cmocka_unit_test(wrap_prefixes),        cmocka_unit_test(null_is_fine),
		cmocka_unit_test(long_messages_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
