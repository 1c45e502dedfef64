/* The memory and string functions for code without libc, against libc's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/str.h"

#define N 64

static void test_copy(void **state)
{
	uint8_t a[N], b[N], c[N];

	for (size_t from = 0; from < 20; from++)
		for (size_t to = 0; to < 20; to++)
			for (size_t n = 0; n < 40; n++) {
				for (size_t i = 0; i < N; i++)
					a[i] = b[i] = (uint8_t)(i * 7 + 1);
				memmove(a + to, a + from, n);
				base_memmove(b + to, b + from, n);
				assert_memory_equal(a, b, N);
				memset(c, 0x55, N);
				memset(a, 0x55, N);
				base_memcpy(c + to, b + from, n);
				memcpy(a + to, b + from, n);
				assert_memory_equal(a, c, N);
				memset(a + to, (int)from - 10, n);
				base_memset(c + to, (int)from - 10, n);
				assert_memory_equal(a, c, N);
			}
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static void test_compare(void **state)
{
	unsigned seed = 1;
	char a[N], b[N];

	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)rand_r(&seed) % N;

		for (size_t i = 0; i < N; i++)
			a[i] = b[i] = (char)(rand_r(&seed) % 200);
		if (round & 1)
			b[rand_r(&seed) % N] = (char)rand_r(&seed);
		assert_int_equal(base_memcmp(a, b, n), sign(memcmp(a, b, n)));
		assert_int_equal(base_strnlen(a, n), strnlen(a, n));
		assert_ptr_equal(base_memchr(a, b[0] & 0x7f, n), memchr(a, b[0] & 0x7f, n));
	}
}

static void test_put(void **state)
{
	static const int64_t v[] = { 0, 1, -1, 9, 10, INT64_MAX, INT64_MIN };
	char t[100], want[100];
	size_t pos;

	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		pos = 0;
		base_puti(t, sizeof(t), &pos, v[i]);
		base_puts(t, sizeof(t), &pos, " ");
		base_putu(t, sizeof(t), &pos, (uint64_t)v[i], 16);
		snprintf(want, sizeof(want), "%lld %llx", (long long)v[i], (unsigned long long)v[i]);
		assert_string_equal(t, want);
		assert_int_equal(pos, strlen(want));
	}
	pos = 0;
	base_puts(t, 4, &pos, "abcdef");
	base_puts(t, 4, &pos, "g");
	assert_string_equal(t, "abc");
	assert_int_equal(pos, 3);
	base_puts(t, 0, &pos, "x");
	pos = 0;
	base_putu(t, sizeof(t), &pos, UINT64_MAX, 2);
	assert_int_equal(pos, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy), cmocka_unit_test(test_compare), cmocka_unit_test(test_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
