/* The D machine: operations, built-ins, variables, faults, rules of exit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/dvm_asm.h"

/* Runs the code between da_begin() and here in a tick probe and returns r1, which is recorded. */
static struct dasm *start(void)
{
	struct dasm *a = da_new();

	da_begin(a, 0);
	return a;
}

static struct drun *finish(struct dasm *a, const struct dvm_opts *o)
{
	struct drun *r;

	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	r = da_run(a, o);
	da_fire(r, 0);
	return r;
}

static uint64_t result(struct dasm *a)
{
	const struct dvm_rec *rec;
	const struct dvm_item *i;
	struct drun *r;
	uint64_t v;

	da_op(a, DVM_RINT, 0, 1, 0, 0);
	r = finish(a, NULL);
	rec = da_rec(r);
	assert_non_null(rec);
	assert_int_equal(rec->kind, DVM_REC_DATA);
	i = da_item(rec, 0);
	assert_non_null(i);
	assert_int_equal(i->kind, DVM_I_INT);
	memcpy(&v, i + 1, 8);
	assert_null(da_rec(r));
	da_free(r);
	return v;
}

static uint64_t binary(unsigned op, uint64_t x, uint64_t y)
{
	struct dasm *a = start();

	da_li(a, 2, x);
	da_li(a, 3, y);
	da_op(a, op, 1, 2, 3, 0);
	return result(a);
}

static uint64_t unary(unsigned op, uint64_t x, int64_t imm)
{
	struct dasm *a = start();

	da_li(a, 2, x);
	da_op(a, op, 1, 2, 0, imm);
	return result(a);
}

static void test_arithmetic(void **state)
{
	assert_int_equal(binary(DVM_ADD, 5, 7), 12);
	assert_int_equal(binary(DVM_SUB, 5, 7), -2);
	assert_int_equal(binary(DVM_MUL, 1ull << 40, 1ull << 30), 0);
	assert_int_equal(binary(DVM_SDIV, (uint64_t)-7, 2), -3);
	assert_int_equal(binary(DVM_UDIV, (uint64_t)-7, 2), (uint64_t)-7 / 2);
	assert_int_equal(binary(DVM_SREM, (uint64_t)-7, 2), -1);
	assert_int_equal(binary(DVM_UREM, (uint64_t)-7, 2), 1);
	assert_int_equal(binary(DVM_SDIV, (uint64_t)INT64_MIN, (uint64_t)-1), INT64_MIN);
	assert_int_equal(binary(DVM_SREM, (uint64_t)INT64_MIN, (uint64_t)-1), 0);
	assert_int_equal(binary(DVM_AND, 0xff0f, 0x0fff), 0x0f0f);
	assert_int_equal(binary(DVM_OR, 0xf0, 0x0f), 0xff);
	assert_int_equal(binary(DVM_XOR, 0xff, 0x0f), 0xf0);
	assert_int_equal(binary(DVM_SLL, 1, 65), 2);
	assert_int_equal(binary(DVM_SRL, (uint64_t)-1, 60), 15);
	assert_int_equal(binary(DVM_SRA, (uint64_t)-16, 2), -4);
	assert_int_equal(unary(DVM_NOT, 0, 0), (uint64_t)-1);
	assert_int_equal(unary(DVM_NEG, 5, 0), -5);
	assert_int_equal(unary(DVM_ADDI, 5, -8), -3);
	assert_int_equal(unary(DVM_SX, 0x180, 8), -128);
	assert_int_equal(unary(DVM_SX, 0x80000000, 32), INT32_MIN);
	assert_int_equal(unary(DVM_ZX, 0x12345, 16), 0x2345);
	assert_int_equal(unary(DVM_MOV, 99, 0), 99);
	assert_int_equal(binary(DVM_SEQ, 1, 1), 1);
	assert_int_equal(binary(DVM_SNE, 1, 1), 0);
	assert_int_equal(binary(DVM_SLT, (uint64_t)-1, 0), 1);
	assert_int_equal(binary(DVM_SLE, 3, 3), 1);
	assert_int_equal(binary(DVM_ULT, (uint64_t)-1, 0), 0);
	assert_int_equal(binary(DVM_ULE, 3, 3), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
