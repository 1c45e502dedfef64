/* Variables: globals, self->, associative arrays; their lives, drops, and what concurrent or hostile writers may do. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/dvm_asm.h"

/* Probe 0 stores arg0 into variable 0, probe 1 reads it (recorded), probe 2 frees it. assoc: key is arg1, arg2. */
static struct drun *variable(unsigned scope, bool assoc, const struct dvm_opts *o)
{
	struct dasm *a = da_new();

	da_var(a, scope, DVM_V_INT, assoc, 8);
	for (int i = 0; i < 3; i++) {
		da_begin(a, 0);
		da_op(a, DVM_BUILTIN, 2, 0, 0, DVM_B_ARG);
		if (assoc) {
			da_op(a, DVM_TRST, 0, 0, 0, 0);
			da_li(a, 3, 1);
			da_op(a, DVM_BUILTIN, 3, 3, 0, DVM_B_ARG);
			da_op(a, DVM_TINT, 0, 3, 0, 0);
			da_li(a, 3, 2);
			da_op(a, DVM_BUILTIN, 3, 3, 0, DVM_B_ARG);
			da_op(a, DVM_TINT, 0, 3, 0, 0);
		}
		if (i == 0)
			da_op(a, assoc ? DVM_STA : DVM_STV, 0, 2, 0, 0);
		if (i == 1) {
			da_op(a, assoc ? DVM_LDA : DVM_LDV, 1, 0, 0, 0);
			da_op(a, DVM_RINT, 0, 1, 0, 0);
		}
		if (i == 2 && scope != DVM_GLOBAL)
			da_op(a, assoc ? DVM_FREEA : DVM_FREEV, 0, 0, 0, 0);
		else if (i == 2)
			da_op(a, assoc ? DVM_STA : DVM_STV, 0, 0, 0, 0);
		da_end(a);
		da_probe(a, DVM_P_TICK, 1, i);
	}
	return da_run(a, o);
}

static void store(struct drun *r, uint64_t v, uint64_t k)
{
	r->ev.arg[0] = v;
	r->ev.arg[1] = k;
	r->ev.arg[2] = k * 3;
	da_fire(r, 0);
}

static uint64_t load(struct drun *r, uint64_t k)
{
	const struct dvm_rec *rec;

	r->ev.arg[1] = k;
	r->ev.arg[2] = k * 3;
	da_fire(r, 1);
	rec = da_rec(r);
	assert_non_null(rec);
	assert_int_equal(rec->kind, DVM_REC_DATA);
	return *(const uint64_t *)(da_item(rec, 0) + 1);
}

static void release(struct drun *r, uint64_t k)
{
	r->ev.arg[1] = k;
	r->ev.arg[2] = k * 3;
	da_fire(r, 2);
}

static uint64_t dynvar_drops(struct drun *r)
{
	struct dvm_drops d;

	dvm_drops_take(&r->m, &d);
	return d.dynvar;
}

static void test_global(void **state)
{
	struct drun *r = variable(DVM_GLOBAL, false, NULL);

	assert_int_equal(load(r, 0), 0);
	store(r, 42, 0);
	r->ev.tid = 99;
	assert_int_equal(load(r, 0), 42);
	release(r, 0);
	assert_int_equal(load(r, 0), 0);
	da_free(r);
}

static void test_thread(void **state)
{
	struct drun *r = variable(DVM_THREAD, false, NULL);

	for (int tid = 1; tid <= 1000; tid++) {
		r->ev.tid = tid;
		assert_int_equal(load(r, 0), 0);
		store(r, (uint64_t)tid * 7, 0);
	}
	for (int tid = 1; tid <= 1000; tid++) {
		r->ev.tid = tid;
		assert_int_equal(load(r, 0), tid * 7);
		if (tid & 1)
			release(r, 0);
		else
			store(r, 0, 0); /* frees as well */
		assert_int_equal(load(r, 0), 0);
	}
	/* A thread that got the number of an earlier one starts without its values. */
	store(r, 5, 0);
	r->ev.tgen = 2;
	assert_int_equal(load(r, 0), 0);
	r->ev.tgen = 0;
	assert_int_equal(load(r, 0), 5);
	assert_int_equal(dynvar_drops(r), 0);
	da_free(r);
}

static void test_assoc(void **state)
{
	struct dvm_opts o;
	struct drun *r;

	dvm_opts_default(&o);
	for (int scope = DVM_GLOBAL; scope <= DVM_THREAD; scope++) {
		r = variable((unsigned)scope, true, &o);
		for (int round = 0; round < 3; round++) {
			for (uint64_t k = 0; k < 5000; k++) {
				assert_int_equal(load(r, k), 0);
				store(r, k + 1, k);
			}
			for (uint64_t k = 0; k < 5000; k++) {
				assert_int_equal(load(r, k), k + 1);
				store(r, k + 2, k);
				assert_int_equal(load(r, k), k + 2);
			}
			for (uint64_t k = 0; k < 5000; k++) {
				release(r, k);
				assert_int_equal(load(r, k), 0);
			}
		}
		assert_int_equal(dynvar_drops(r), 0);
		da_free(r);
	}
}

/* All of dynvarsize can be used, what does not fit is counted, freed room is used again. */
static void test_full(void **state)
{
	struct dvm_opts o;
	struct drun *r;
	uint64_t held = 0;

	dvm_opts_default(&o);
	o.dynvarsize = 64 * 1024;
	r = variable(DVM_GLOBAL, true, &o);
	for (uint64_t k = 0; k < 2000; k++)
		store(r, k + 1, k);
	for (uint64_t k = 0; k < 2000; k++)
		held += load(r, k) == k + 1;
	assert_int_equal(held, r->m.l.nchunks);
	assert_int_equal(dynvar_drops(r), 2000 - held);
	for (uint64_t k = 0; k < 2000; k++)
		release(r, k);
	for (int round = 0; round < 5000; round++) {
		store(r, 1, (uint64_t)round);
		assert_int_equal(load(r, (uint64_t)round), 1);
		release(r, (uint64_t)round);
	}
	assert_int_equal(dynvar_drops(r), 0);
	da_free(r);

	o.dynvarsize = 0;
	r = variable(DVM_GLOBAL, true, &o);
	store(r, 1, 1);
	assert_int_equal(load(r, 1), 0);
	assert_int_equal(dynvar_drops(r), 1);
	da_free(r);
}

static const char *text(const struct dvm_rec *rec, unsigned n)
{
	static char b[4][300];
	static int k;
	const struct dvm_item *i = da_item(rec, n);

	k = (k + 1) & 3;
	assert_int_equal(i->kind, DVM_I_STR);
	memcpy(b[k], i + 1, i->len);
	b[k][i->len] = 0;
	return b[k];
}

/* Strings in all scopes: assignment copies and truncates, unset is empty, NULL frees; keyed by strings and bytes. */
static void test_strings(void **state)
{
	struct dasm *a = da_new();
	uint32_t g = da_var(a, DVM_GLOBAL, DVM_V_STRING, false, 0), t = da_var(a, DVM_THREAD, DVM_V_STRING, false, 0);
	uint32_t m = da_var(a, DVM_GLOBAL, DVM_V_STRING, true, 0), b = da_var(a, DVM_THREAD, DVM_V_BYREF, true, 12);
	const struct dvm_rec *rec;
	struct dvm_opts o;
	struct drun *r;

	da_begin(a, 0); /* 0: read all */
	da_op(a, DVM_LDV, 1, 0, 0, g);
	da_op(a, DVM_RSTR, 0, 1, 0, 0);
	da_op(a, DVM_LDV, 1, 0, 0, t);
	da_op(a, DVM_RSTR, 0, 1, 0, 0);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_ls(a, 1, "key");
	da_op(a, DVM_TSTR, 0, 1, 0, 0);
	da_op(a, DVM_LDA, 1, 0, 0, m);
	da_op(a, DVM_RSTR, 0, 1, 0, 0);
	da_op(a, DVM_LDA, 1, 0, 0, b);
	da_op(a, DVM_LD64, 1, 1, 0, 0);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_end(a);
	da_begin(a, 0); /* 1: set all */
	da_ls(a, 1, "a text longer than strsize");
	da_op(a, DVM_STV, 0, 1, 0, g);
	da_op(a, DVM_STV, 0, 1, 0, t);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_ls(a, 2, "key");
	da_op(a, DVM_TSTR, 0, 2, 0, 0);
	da_op(a, DVM_STA, 0, 1, 0, m);
	da_op(a, DVM_STA, 0, 1, 0, b);
	da_op(a, DVM_LDA, 3, 0, 0, b); /* its bytes can be changed in place, not those behind it */
	da_li(a, 4, 'A');
	da_op(a, DVM_ST8, 0, 3, 4, 11);
	da_op(a, DVM_RBYTES, 0, 3, 0, 12);
	da_op(a, DVM_LDA, 5, 0, 0, m); /* the element assigned to itself */
	da_op(a, DVM_STA, 0, 5, 0, m);
	da_end(a);
	da_begin(a, 0); /* 2: free all */
	da_op(a, DVM_STV, 0, 0, 0, g);
	da_op(a, DVM_STV, 0, 0, 0, t);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_ls(a, 2, "key");
	da_op(a, DVM_TSTR, 0, 2, 0, 0);
	da_op(a, DVM_STA, 0, 0, 0, m);
	da_op(a, DVM_FREEA, 0, 0, 0, b);
	da_end(a);
	da_begin(a, 0); /* 3: out of an element's bytes */
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_ls(a, 2, "key");
	da_op(a, DVM_TSTR, 0, 2, 0, 0);
	da_op(a, DVM_LDA, 3, 0, 0, b);
	da_op(a, DVM_ST64, 0, 3, 0, -40);
	da_end(a);
	da_begin(a, 0); /* 4: a bad source leaves the old value */
	da_li(a, 1, 0x1234);
	da_op(a, DVM_STV, 0, 1, 0, g);
	da_end(a);
	for (unsigned i = 0; i < 5; i++)
		da_probe(a, DVM_P_TICK, 1, i);
	dvm_opts_default(&o);
	o.strsize = 16;
	r = da_run(a, &o);

	da_fire(r, 0);
	rec = da_rec(r);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(text(rec, i), "");
	assert_int_equal(*(const uint64_t *)(da_item(rec, 3) + 1), 0);
	da_fire(r, 1);
	rec = da_rec(r);
	assert_int_equal(rec->kind, DVM_REC_DATA);
	assert_memory_equal(da_item(rec, 0) + 1, "a text longA", 12);
	da_fire(r, 0);
	rec = da_rec(r);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(text(rec, i), "a text longer t");
	assert_int_not_equal(*(const uint64_t *)(da_item(rec, 3) + 1), 0);
	r->ev.tid++;
	da_fire(r, 0);
	rec = da_rec(r);
	assert_string_equal(text(rec, 0), "a text longer t");
	assert_string_equal(text(rec, 1), "");
	assert_string_equal(text(rec, 2), "a text longer t");
	assert_int_equal(*(const uint64_t *)(da_item(rec, 3) + 1), 0);
	r->ev.tid--;
	da_fire(r, 3);
	rec = da_rec(r);
	assert_int_equal(rec->kind, DVM_REC_ERROR);
	assert_int_equal(rec->fault, DVM_FLT_BADADDR);
	da_fire(r, 4);
	rec = da_rec(r);
	assert_int_equal(rec->kind, DVM_REC_ERROR);
	assert_int_equal(rec->addr, 0x1234);
	da_fire(r, 0);
	assert_string_equal(text(da_rec(r), 0), "a text longer t");
	da_fire(r, 2);
	da_fire(r, 0);
	rec = da_rec(r);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(text(rec, i), "");
	assert_int_equal(*(const uint64_t *)(da_item(rec, 3) + 1), 0);
	assert_int_equal(dynvar_drops(r), 0);
	da_free(r);
}

/* Structures of dynamic variables are made when one of their members is set, read as zeroes before, and never shared. */
static void test_place(void **state)
{
	struct dasm *a = da_new();
	uint32_t t = da_var(a, DVM_THREAD, DVM_V_BYREF, false, 20), m = da_var(a, DVM_GLOBAL, DVM_V_BYREF, true, 16);
	const struct dvm_rec *rec;
	struct dvm_opts o;
	struct drun *r;

	for (int write = 0; write < 2; write++) { /* 0 reads, 1 adds arg0 to a member of each */
		da_begin(a, 0);
		da_op(a, DVM_BUILTIN, 5, 0, 0, DVM_B_ARG);
		da_op(a, DVM_TRST, 0, 0, 0, 0);
		da_op(a, DVM_TINT, 0, 5, 0, 0);
		for (int assoc = 0; assoc < 2; assoc++) {
			da_op(a, write ? (assoc ? DVM_LDAC : DVM_LDVC) : (assoc ? DVM_LDA : DVM_LDV), 1, 0, 0, assoc ? m : t);
			da_op(a, DVM_LD32, 2, 1, 0, 12);
			da_op(a, DVM_RINT, 0, 2, 0, 0);
			da_op(a, DVM_ADD, 2, 2, 5, 0);
			if (write)
				da_op(a, DVM_ST32, 0, 1, 2, 12);
		}
		da_end(a);
		da_probe(a, DVM_P_TICK, 1, write);
	}
	da_begin(a, 0); /* what is not there can't be written to */
	da_op(a, DVM_LDA, 1, 0, 0, m);
	da_op(a, DVM_ST32, 0, 1, 1, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 2);
	dvm_opts_default(&o);
	o.dynvarsize = 64 * 5;
	r = da_run(a, &o);
	for (uint64_t k = 1; k <= 3; k++)
		for (uint64_t round = 0; round < 3; round++) {
			r->ev.arg[0] = k;
			da_fire(r, 1);
			rec = da_rec(r);
			assert_int_equal(*(const uint64_t *)(da_item(rec, 1) + 1), k * round);
		}
	r->ev.arg[0] = 4;
	da_fire(r, 0);
	rec = da_rec(r);
	assert_int_equal(*(const uint64_t *)(da_item(rec, 0) + 1), 3 + 6 + 9);
	assert_int_equal(*(const uint64_t *)(da_item(rec, 1) + 1), 0);
	da_fire(r, 2);
	assert_int_equal(da_rec(r)->kind, DVM_REC_ERROR);
	assert_int_equal(dynvar_drops(r), 0);
	for (uint64_t k = 10; k < 20; k++) { /* no room: counted, no fault */
		r->ev.arg[0] = k;
		da_fire(r, 1);
		assert_int_equal(da_rec(r)->kind, DVM_REC_DATA);
	}
	assert_in_range(dynvar_drops(r), 8, 10);
	da_free(r);
}

/* A compiled local string that does not fit the strsize of the session is refused, not overrun. */
static void test_strsize_mismatch(void **state)
{
	struct dasm *a = da_new();
	struct dvm_image *img;
	struct dvm_opts o;

	da_var(a, DVM_LOCAL, DVM_V_STRING, false, 64);
	da_begin(a, 0);
	da_end(a);
	img = da_image(a, NULL);
	dvm_opts_default(&o);
	o.strsize = 64;
	assert_int_not_equal(dvm_arena_size(img, &o), 0);
	o.strsize = 65;
	assert_int_equal(dvm_arena_size(img, &o), 0);
	free(img);
	free(a);
}

#define NTHREADS 4
#define NFIRE 20000

struct worker {
	struct drun *r;
	struct dvm m;
	int n;
	uint64_t sum;
};

/* Each thread lives with its own self-> variable and, under keys that all use, an array. */
static void *work(void *arg)
{
	struct worker *w = arg;
	void *scratch = calloc(1, dvm_scratch_size(w->r->img, &w->m.opts));
	struct dvm_event ev = w->r->ev;

	ev.tid = w->n + 1;
	for (int i = 0; i < NFIRE; i++) {
		ev.arg[0] = (uint64_t)i + 1;
		ev.arg[1] = (uint64_t)(i % 16);
		dvm_fire(&w->m, scratch, 0, &ev);
		dvm_fire(&w->m, scratch, 1, &ev);
		dvm_fire(&w->m, scratch, 2, &ev);
	}
	free(scratch);
	return NULL;
}

static void run_threads(struct drun *r)
{
	struct worker w[NTHREADS];
	pthread_t t[NTHREADS];

	for (int i = 0; i < NTHREADS; i++) {
		w[i] = (struct worker){ .r = r, .m = r->m, .n = i };
		pthread_create(&t[i], NULL, work, &w[i]);
	}
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
}

static unsigned chunks_used(struct drun *r)
{
	const uint64_t *bits = (const uint64_t *)((uint8_t *)r->arena + r->m.l.bitmap);
	unsigned n = 0;

	for (uint32_t i = 0; i < (r->m.l.nchunks + 63) / 64; i++)
		n += (unsigned)__builtin_popcountll(bits[i]);
	return n;
}

static void test_threads(void **state)
{
	struct dasm *a;
	struct dvm_opts o;
	struct drun *r;
	struct dvm_aggent e;
	uint64_t pos = 0;

	/* self->v = arg0; @ = sum(self->v); self->v = 0: exact, and nothing is left. */
	a = da_new();
	da_var(a, DVM_THREAD, DVM_V_INT, false, 8);
	da_agg(a, DVM_AGG_SUM, 1);
	da_begin(a, 0);
	da_op(a, DVM_BUILTIN, 2, 0, 0, DVM_B_ARG);
	da_op(a, DVM_STV, 0, 2, 0, 0);
	da_end(a);
	da_begin(a, 0);
	da_op(a, DVM_LDV, 2, 0, 0, 0);
	da_op(a, DVM_AGG, 0, 2, 0, 0);
	da_end(a);
	da_begin(a, 0);
	da_op(a, DVM_FREEV, 0, 0, 0, 0);
	da_end(a);
	for (unsigned i = 0; i < 3; i++)
		da_probe(a, DVM_P_TICK, 1, i);
	r = da_run(a, NULL);
	run_threads(r);
	assert_true(dvm_agg_next(&r->m, 0, &pos, &e));
	assert_int_equal(e.data[0], (uint64_t)NTHREADS * NFIRE * (NFIRE + 1) / 2);
	assert_int_equal(chunks_used(r), 0);
	assert_int_equal(dynvar_drops(r), 0);
	da_free(r);

	/* All threads at the same keys of one array: values are somebody's, nothing is lost for good. */
	dvm_opts_default(&o);
	o.dynvarsize = 4096;
	r = variable(DVM_GLOBAL, true, &o);
	run_threads(r);
	while (da_rec(r)) /* what the threads loaded */
		;
	for (uint64_t k = 0; k < 16; k++) {
		release(r, k);
		assert_int_equal(0, load(r, k));
	}
	for (uint64_t k = 0; k < r->m.l.nchunks; k++)
		store(r, k + 1, k + 100);
	assert_in_range(chunks_used(r), 1, r->m.l.nchunks);
	da_free(r);
}

/* Whatever is written into the arena, firing goes on and stays inside (run under ASan to see). */
static void test_hostile(void **state)
{
	unsigned seed = 7;
	struct dvm_opts o;
	struct drun *r;

	dvm_opts_default(&o);
	o.dynvarsize = 4096;
	o.bufsize = 4096;
	for (int round = 0; round < 500; round++) {
		r = variable(round & 1 ? DVM_GLOBAL : DVM_THREAD, true, &o);
		for (int i = 0; i < 200; i++) {
			uint8_t *b = r->arena;
			uint32_t at = (uint32_t)rand_r(&seed) % r->m.l.arena_size;

			/* hash and chunks more often than the rest */
			if (i & 1)
				at = r->m.l.slots + (uint32_t)rand_r(&seed) % (r->m.l.buf - r->m.l.slots);
			if (at >= offsetof(struct dvm, arena) && at > 64)
				b[at] = (uint8_t)rand_r(&seed);
			r->ev.arg[0] = (uint64_t)i;
			r->ev.arg[1] = (uint64_t)rand_r(&seed) % 8;
			da_fire(r, (uint32_t)rand_r(&seed) % 3);
			da_rec(r);
		}
		da_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_global),  cmocka_unit_test(test_thread),           cmocka_unit_test(test_assoc),
		cmocka_unit_test(test_full),    cmocka_unit_test(test_strings),          cmocka_unit_test(test_strsize_mismatch),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_hostile),          cmocka_unit_test(test_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
