/* The verifier refuses each kind of bad image, and keeps to what it promises: an image that it accepted after bytes were changed
 * runs without harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/dvm_asm.h"

static struct dvm_image *img;
static size_t len;
static char why[128];

static struct dasm *sample(void)
{
	struct dasm *a = da_new();

	da_var(a, DVM_GLOBAL, DVM_V_INT, false, 8);
	da_var(a, DVM_GLOBAL, DVM_V_INT, true, 8);
	da_var(a, DVM_LOCAL, DVM_V_BYREF, false, 24);
	da_agg(a, DVM_AGG_COUNT, 1);
	a->agg[a->nagg++] = (struct dvm_agg){ .func = DVM_AGG_LQUANTIZE, .ndata = 12, .base = 0, .limit = 100, .step = 10 };
	a->agg[a->nagg++] = (struct dvm_agg){ .func = DVM_AGG_LLQUANTIZE, .ndata = 20, .factor = 10, .low = 0, .high = 1, .nsteps = 10 };
	da_begin(a, 0);
	da_op(a, DVM_NOP, 0, 0, 0, 0); /* the place that tests overwrite */
	da_li(a, 1, 1ull << 40);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	return a;
}

#define AT(sect, type, n) ((type *)((uint8_t *)img + img->sect.off) + (n))

static void fresh(void)
{
	struct dasm *a = sample();

	free(img);
	img = da_image(a, &len);
	free(a);
}

#define REFUSED(change, text) \
	do { \
		fresh(); \
		change; \
		assert_int_equal(dvm_verify(img, len, why, sizeof(why)), -22); \
		if (!strstr(why, text)) \
			fail_msg("%s: reason is \"%s\"", #change, why); \
	} while (0)

#define ACCEPTED(change) \
	do { \
		fresh(); \
		change; \
		if (dvm_verify(img, len, why, sizeof(why))) \
			fail_msg("%s: refused: \"%s\"", #change, why); \
	} while (0)

#define INSN(...) *AT(insns, struct dvm_insn, 0) = (struct dvm_insn){ __VA_ARGS__ }

static void test_frame(void **state)
{
	ACCEPTED((void)0);
	REFUSED(img->magic++, "not a D program");
	REFUSED(img->version++, "version");
	REFUSED(len--, "does not fit");
	REFUSED(len = 20, "too short");
	REFUSED(img->size = 8, "does not fit");
	ACCEPTED(img->local_size = 28 /* rounded up when laid out */);
	REFUSED(img->insns.off += 4, "section 0");
	REFUSED(img->insns.off = 0, "section 0");
	REFUSED(img->consts.count = UINT32_MAX, "section 1");
	REFUSED(img->strtab.off = UINT32_MAX & ~7u, "section 2");
	REFUSED(img->enablings.count += 1000, "section 7");
	REFUSED(img->strtab.count = 0, "strtab");
	REFUSED(*AT(strtab, char, 0) = 'x', "strtab");
	REFUSED(*AT(strtab, char, img->strtab.count - 1) = 'x', "strtab");
	assert_int_equal(dvm_verify((uint8_t *)img + 4, len, why, sizeof(why)), -22);
	assert_int_equal(dvm_verify(img, 0, NULL, 0), -22);
}

static void test_tables(void **state)
{
	REFUSED(AT(vars, struct dvm_var, 0)->scope = 3, "variable 0");
	REFUSED(AT(vars, struct dvm_var, 0)->kind = 3, "variable 0");
	REFUSED(AT(vars, struct dvm_var, 0)->name = 1 << 20, "variable 0");
	REFUSED(AT(vars, struct dvm_var, 1)->scope = DVM_LOCAL, "variable 1");
	REFUSED(AT(vars, struct dvm_var, 2)->local_off = 8, "variable 2: outside");
	REFUSED(AT(vars, struct dvm_var, 2)->local_off = UINT32_MAX & ~7u, "variable 2: outside");
	REFUSED(AT(vars, struct dvm_var, 2)->size = 25, "variable 2: outside");
	REFUSED(AT(vars, struct dvm_var, 2)->size = 0, "variable 2: bad size");
	REFUSED(AT(aggs, struct dvm_agg, 0)->func = 9, "aggregation 0");
	REFUSED(AT(aggs, struct dvm_agg, 0)->ndata = 2, "aggregation 0: wrong number");
	REFUSED(AT(aggs, struct dvm_agg, 1)->step = 0, "aggregation 1");
	REFUSED(AT(aggs, struct dvm_agg, 1)->limit = 0, "aggregation 1");
	REFUSED(AT(aggs, struct dvm_agg, 1)->ndata = 11, "aggregation 1");
	REFUSED(AT(aggs, struct dvm_agg, 2)->factor = 1, "aggregation 2");
	REFUSED(AT(aggs, struct dvm_agg, 2)->high = 40, "aggregation 2");
	REFUSED(AT(aggs, struct dvm_agg, 2)->low = -1, "aggregation 2");
	REFUSED(AT(aggs, struct dvm_agg, 2)->nsteps = 0, "aggregation 2");
	REFUSED(AT(clauses, struct dvm_clause, 0)->ninsn = 0, "clause 0");
	REFUSED(AT(clauses, struct dvm_clause, 0)->ninsn = 100, "clause 0");
	REFUSED(AT(clauses, struct dvm_clause, 0)->insn = UINT32_MAX, "clause 0");
	REFUSED(AT(clauses, struct dvm_clause, 0)->ninsn--, "does not end here");
	REFUSED(AT(clauses, struct dvm_clause, 0)->flags = 2, "clause 0");
	REFUSED(AT(probes, struct dvm_probe, 0)->kind = 99, "probe 0");
	REFUSED(AT(probes, struct dvm_probe, 0)->period_ns = 0, "probe 0: no period");
	REFUSED(AT(probes, struct dvm_probe, 0)->func = 1 << 20, "probe 0");
	REFUSED(AT(probes, struct dvm_probe, 0)->nenabling = 2, "probe 0");
	REFUSED(AT(probes, struct dvm_probe, 0)->enabling = UINT32_MAX, "probe 0");
	REFUSED(*AT(enablings, uint32_t, 0) = 1, "enabling 0");
}

static void test_code(void **state)
{
	REFUSED(INSN(DVM_NOPS), "instruction 0: no such operation");
	REFUSED(INSN(DVM_ADD, 64, 0, 0), "no such register");
	REFUSED(INSN(DVM_ADD, 0, 64, 0), "no such register");
	REFUSED(INSN(DVM_ADD, 0, 0, 64), "no such register");
	ACCEPTED(INSN(DVM_ADD, 63, 63, 63));
	REFUSED(INSN(DVM_LDC, 1, .imm = 1), "no such constant");
	REFUSED(INSN(DVM_LDC, 1, .imm = -1), "no such constant");
	REFUSED(INSN(DVM_LDSTR, 1, .imm = 1 << 20), "no such string");
	REFUSED(INSN(DVM_SX, 1, 1, .imm = 64), "bad width");
	REFUSED(INSN(DVM_JMP, .imm = -1), "jump");
	REFUSED(INSN(DVM_JMP, .imm = 3), "jump");
	ACCEPTED(INSN(DVM_JMP, .imm = 2));
	REFUSED(INSN(DVM_LDV, 1, .imm = 1), "no such variable");
	REFUSED(INSN(DVM_LDA, 1, .imm = 0), "no such variable");
	REFUSED(INSN(DVM_STV, 1, .imm = 3), "no such variable");
	REFUSED(INSN(DVM_FREEV, .imm = 0), "no such variable");
	REFUSED(INSN(DVM_LDVC, 1, .imm = 0), "no such variable");
	ACCEPTED(INSN(DVM_LDVC, 1, .imm = 2));
	REFUSED(INSN(DVM_TBYTES, 0, 1, .imm = -1), "bad size");
	REFUSED(INSN(DVM_RBYTES, 0, 1, .imm = 1 << 21), "bad size");
	REFUSED(INSN(DVM_AGG, 0, 1, 1, 3), "no such aggregation");
	REFUSED(INSN(DVM_BUILTIN, 1, 0, 0, DVM_NBUILTINS), "no such built-in");
	REFUSED(INSN(DVM_CALL, 1, 1, 1, DVM_NFUNCS), "no such call");
	REFUSED(INSN(DVM_CALL, 1, 1, 1, DVM_F_COPYIN), "no such call");
	REFUSED(INSN(DVM_CALL, 1, 1, 3, DVM_F_COPYIN), "no such call");
	REFUSED(INSN(DVM_CALL, 1, 63, 2, DVM_F_COPYIN), "no such call");
	ACCEPTED(INSN(DVM_CALL, 1, 62, 2, DVM_F_COPYIN));
	ACCEPTED(INSN(DVM_CALL, 1, 1, 1, DVM_F_COPYINSTR));
	ACCEPTED(INSN(DVM_CALL, 1, 1, 2, DVM_F_COPYINSTR));
}

/* Images whose verification or firing would take long for their size. */
static void test_bounds(void **state)
{
	struct dasm *a = da_new();
	struct dvm_image *big;
	size_t n;

	da_begin(a, 0);
	for (int i = 0; i < 8000; i++)
		da_op(a, DVM_NOP, 0, 0, 0, 0);
	da_end(a);
	for (int i = 0; i < 1000; i++)
		a->enabling[a->nenabling++] = 0;
	da_probe(a, DVM_P_TICK, 0);
	a->probe[0].enabling = 0;
	a->probe[0].nenabling = 500;
	big = da_image(a, &n);
	assert_int_equal(dvm_verify(big, n, why, sizeof(why)), 0);
	free(big);
	a->probe[0].nenabling = 1000;
	big = da_image(a, &n);
	assert_int_equal(dvm_verify(big, n, why, sizeof(why)), -22);
	assert_non_null(strstr(why, "too much code"));
	free(big);
	free(a);
}

static void test_mutations(void **state)
{
	unsigned seed = 21, accepted = 0;
	struct dvm_opts o;

	dvm_opts_default(&o);
	o.bufsize = 4096;
	o.aggsize = 4096;
	o.dynvarsize = 4096;
	for (int round = 0; round < 6000; round++) {
		struct dvm_event ev = { .execname = "x" };
		struct dvm m;
		size_t size;

		fresh();
		for (int k = rand_r(&seed) % 3; k >= 0; k--)
			((uint8_t *)img)[(size_t)rand_r(&seed) % len] = (uint8_t)(rand_r(&seed) % 3 ? rand_r(&seed) % 80 : rand_r(&seed));
		if (dvm_verify(img, len, why, sizeof(why)))
			continue;
		size = dvm_arena_size(img, &o);
		if (size && size < 1 << 24) {
			void *arena = da_mem(size), *scratch = calloc(1, dvm_scratch_size(img, &o));

			accepted++;
			assert_int_equal(dvm_arena_init(arena, size, img, &o), 0);
			assert_int_equal(dvm_open(&m, img, &o, arena, size), 0);
			for (unsigned p = 0; p <= img->probes.count; p++)
				dvm_fire(&m, scratch, p, &ev);
			dvm_set_activity(&m, DVM_ACTIVE);
			for (unsigned p = 0; p <= img->probes.count; p++)
				dvm_fire(&m, scratch, p, &ev);
			free(arena);
			free(scratch);
		}
	}
	assert_in_range(accepted, 300, 6000);
	free(img);
	img = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),  cmocka_unit_test(test_tables),    cmocka_unit_test(test_code),
		cmocka_unit_test(test_bounds), cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
