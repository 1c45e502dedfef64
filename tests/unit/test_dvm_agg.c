/* Aggregations: every function against an obvious computation, keys, full tables, flips, threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/dvm_asm.h"

/* @ = f(arg0, incr arg1), no key. */
static struct drun *plain(struct dvm_agg g)
{
	struct dasm *a = da_new();
	struct dvm_opts o;

	dvm_opts_default(&o);
	o.aggsize = 16 + g.ndata * 8;
	a->agg[a->nagg++] = g;
	da_begin(a, 0);
	da_op(a, DVM_BUILTIN, 2, 0, 0, DVM_B_ARG);
	da_li(a, 1, 1);
	da_op(a, DVM_BUILTIN, 3, 1, 0, DVM_B_ARG);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_op(a, DVM_AGG, 0, 2, 3, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	return da_run(a, &o);
}

static void put(struct drun *r, int64_t v, int64_t incr)
{
	r->ev.arg[0] = (uint64_t)v;
	r->ev.arg[1] = (uint64_t)incr;
	da_fire(r, 0);
}

/* The data of the only entry of the table that probes write to. */
static const uint64_t *only(struct drun *r)
{
	struct dvm_aggent e, other;
	uint64_t pos = 0;

	assert_true(dvm_agg_next(&r->m, 0, &pos, &e));
	assert_int_equal(e.keylen, 0);
	assert_false(dvm_agg_next(&r->m, 0, &pos, &other));
	return e.data;
}

static const int64_t values[] = { 5, -3, 0, 1000000007, -99999999999, 1, INT64_MAX / 3, INT64_MIN / 5 };
#define NVALUES (sizeof(values) / sizeof(values[0]))

static void test_simple(void **state)
{
	static const struct { unsigned f, n; } fs[] = {
		{ DVM_AGG_COUNT, 1 }, { DVM_AGG_SUM, 1 }, { DVM_AGG_MIN, 1 }, { DVM_AGG_MAX, 1 }, { DVM_AGG_AVG, 2 }, { DVM_AGG_STDDEV, 4 },
	};

	for (unsigned k = 0; k < 6; k++) {
		struct drun *r = plain((struct dvm_agg){ .func = fs[k].f, .ndata = fs[k].n });
		int64_t sum = 0, min = INT64_MAX, max = INT64_MIN;
		unsigned __int128 squares = 0;
		const uint64_t *d;

		for (unsigned i = 0; i < NVALUES; i++) {
			put(r, values[i], 1);
			sum = (int64_t)((uint64_t)sum + (uint64_t)values[i]);
			min = values[i] < min ? values[i] : min;
			max = values[i] > max ? values[i] : max;
			squares += (unsigned __int128)((__int128)values[i] * values[i]);
		}
		d = only(r);
		switch (fs[k].f) {
		case DVM_AGG_COUNT: assert_int_equal(d[0], NVALUES); break;
		case DVM_AGG_SUM: assert_int_equal(d[0], sum); break;
		case DVM_AGG_MIN: assert_int_equal(d[0], min); break;
		case DVM_AGG_MAX: assert_int_equal(d[0], max); break;
		case DVM_AGG_STDDEV:
			assert_int_equal(d[2], (uint64_t)squares);
			assert_int_equal(d[3], (uint64_t)(squares >> 64));
			/* fallthrough */
		default:
			assert_int_equal(d[0], NVALUES);
			assert_int_equal(d[1], sum);
		}
		da_free(r);
	}
}

/* Fires one value and says in which bucket it was counted. */
static int bucket(struct drun *r, unsigned ndata, int64_t v)
{
	static uint64_t before[1 << 16];
	const uint64_t *d;
	int at = -1;

	put(r, v, 0); /* the entry exists from now on; nothing is added */
	d = only(r);
	memcpy(before, d, ndata * 8);
	put(r, v, 7);
	for (unsigned i = 0; i < ndata; i++)
		if (d[i] != before[i]) {
			assert_int_equal(at, -1);
			assert_int_equal(d[i] - before[i], 7);
			at = (int)i;
		}
	return at;
}

static int naive_quantize(int64_t v)
{
	__int128 lo = 1;
	int k;

	if (!v)
		return 63;
	for (k = 1; !(lo <= (v < 0 ? -(__int128)v : v) && (v < 0 ? -(__int128)v : v) < lo * 2); k++)
		lo *= 2;
	if (k == 64)
		k = 63; /* INT64_MIN */
	return v < 0 ? 63 - k : 63 + k;
}

static void test_quantize(void **state)
{
	struct drun *r = plain((struct dvm_agg){ .func = DVM_AGG_QUANTIZE, .ndata = 127 });

	for (int k = 0; k < 63; k++)
		for (int64_t d = -2; d <= 2; d++) {
			int64_t v = (int64_t)(1ull << k) + d;

			assert_int_equal(bucket(r, 127, v), naive_quantize(v));
			assert_int_equal(bucket(r, 127, -v), naive_quantize(-v));
		}
	assert_int_equal(bucket(r, 127, INT64_MAX), 126);
	assert_int_equal(bucket(r, 127, INT64_MIN), 0);
	da_free(r);
}

static void test_lquantize(void **state)
{
	static const int32_t p[][3] = { { 0, 100, 10 }, { -50, 50, 7 }, { 0, 10, 100 }, { INT32_MIN, INT32_MAX, 1 << 20 }, { 5, 6, 1 } };

	for (unsigned i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		int64_t base = p[i][0], limit = p[i][1], step = p[i][2];
		unsigned n = 2 + (unsigned)((limit - base + step - 1) / step);
		struct drun *r = plain((struct dvm_agg){ .func = DVM_AGG_LQUANTIZE, .ndata = n, .base = p[i][0], .limit = p[i][1], .step = p[i][2] });
		int64_t near[] = { base, base + step, base + 2 * step, limit, limit - step, INT64_MIN + 2, INT64_MAX - 2, 0 };

		for (unsigned k = 0; k < 8; k++)
			for (int64_t v = near[k] - 2; v <= near[k] + 1; v++) {
				int64_t want = 0;

				if (v >= limit)
					want = n - 1;
				else if (v >= base)
					for (want = 1; base + want * step <= v; want++)
						;
				assert_int_equal(bucket(r, n, v), want);
			}
		da_free(r);
	}
}

/* Lists the lower bounds of the buckets as the D guide describes them: each order of magnitude in nsteps equal steps. */
static unsigned ll_bounds(int64_t factor, int low, int high, int64_t nsteps, int64_t *b)
{
	int64_t lo = 1;
	unsigned n = 0;

	for (int k = 0; k < low; k++)
		lo *= factor;
	for (int k = low; k <= high; k++) {
		int64_t hi = lo * factor, step = hi > nsteps ? hi / nsteps : 1;

		for (int64_t v = lo; v < hi; v += step)
			b[n++] = v;
		lo = hi;
	}
	b[n++] = lo;
	return n;
}

static void test_llquantize(void **state)
{
	static const int p[][4] = { { 10, 0, 6, 20 }, { 10, 3, 5, 10 }, { 2, 0, 10, 2 }, { 10, 0, 2, 100 }, { 16, 1, 3, 16 }, { 10, 0, 17, 10 } };
	static int64_t b[1 << 12];

	for (unsigned i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		unsigned nb = ll_bounds(p[i][0], p[i][1], p[i][2], p[i][3], b), n = nb + 1;
		struct drun *r = plain((struct dvm_agg){ .func = DVM_AGG_LLQUANTIZE, .ndata = n, .factor = p[i][0], .low = p[i][1],
							 .high = p[i][2], .nsteps = p[i][3] });

		for (unsigned k = 0; k < nb; k++)
			for (int64_t v = b[k] - 1; v <= b[k] + 1; v++) {
				int want = 0;

				while (want < (int)nb && b[want] <= v)
					want++;
				assert_int_equal(bucket(r, n, v), want);
			}
		assert_int_equal(bucket(r, n, INT64_MIN), 0);
		assert_int_equal(bucket(r, n, -1), 0);
		assert_int_equal(bucket(r, n, INT64_MAX), n - 1);
		da_free(r);
	}
}

/* @a[execname, arg0, bytes] = count(); @b[execname] = sum(arg0): keys of all kinds, two aggregations of equal keys. */
static struct drun *keyed(const struct dvm_opts *o)
{
	struct dasm *a = da_new();
	uint32_t x = da_agg(a, DVM_AGG_COUNT, 1), y = da_agg(a, DVM_AGG_SUM, 1);

	da_begin(a, 0);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_EXECNAME);
	da_op(a, DVM_BUILTIN, 2, 0, 0, DVM_B_ARG);
	da_li(a, 4, 4);
	da_op(a, DVM_CALL, 3, 4, 1, DVM_F_ALLOCA);
	da_op(a, DVM_ST32, 0, 3, 2, 0);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_op(a, DVM_TSTR, 0, 1, 0, 0);
	da_op(a, DVM_TINT, 0, 2, 0, 0);
	da_op(a, DVM_TBYTES, 0, 3, 0, 3);
	da_op(a, DVM_AGG, 0, 0, 0, x);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_op(a, DVM_TSTR, 0, 1, 0, 0);
	da_op(a, DVM_AGG, 0, 2, 0, y);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	return da_run(a, o);
}

static void test_keys(void **state)
{
	static const char *const names[] = { "a", "bb", "a-long-name-15b", "" };
	struct drun *r = keyed(NULL);
	struct dvm_drops drops;
	uint64_t seen[4] = { 0 }, sums[4] = { 0 }, pos = 0;
	struct dvm_aggent e;
	unsigned t;

	for (int i = 0; i < 4000; i++) {
		r->ev.execname = names[i % 4];
		r->ev.arg[0] = (uint64_t)(i / 8 % 100);
		da_fire(r, 0);
	}
	t = dvm_agg_flip(&r->m);
	assert_int_equal(t, 0);
	while (dvm_agg_next(&r->m, t, &pos, &e)) {
		size_t at = 0;
		const struct dvm_item *i = dvm_item_next(e.key, e.keylen, &at);
		int w = 0;

		assert_int_equal(i->kind, DVM_I_STR);
		while (strlen(names[w]) != i->len)
			w++;
		assert_memory_equal(i + 1, names[w], i->len);
		i = dvm_item_next(e.key, e.keylen, &at);
		if (e.agg == 1) {
			assert_null(i);
			sums[w] += e.data[0];
			continue;
		}
		assert_int_equal(i->kind, DVM_I_INT);
		assert_in_range(*(const uint64_t *)(i + 1), 0, 99);
		i = dvm_item_next(e.key, e.keylen, &at);
		assert_int_equal(i->kind, DVM_I_BYTES);
		assert_int_equal(i->len, 3);
		assert_int_equal(e.data[0], 10);
		seen[w]++;
	}
	for (int w = 0; w < 4; w++) {
		assert_int_equal(seen[w], 100);
		assert_int_equal(sums[w], 99 * 100 / 2 * 10);
	}
	dvm_drops_take(&r->m, &drops);
	assert_int_equal(drops.agg, 0);
	da_free(r);
}

static void test_flip(void **state)
{
	struct drun *r = plain((struct dvm_agg){ .func = DVM_AGG_COUNT, .ndata = 1 });
	struct dvm_aggent e;
	unsigned t = 0;
	uint64_t pos;

	/* More flips than there are generations, so that stale slots come round again. */
	for (int i = 0; i < 140000; i++) {
		if (i % 3 == 0)
			put(r, 1, 1);
		t = dvm_agg_flip(&r->m);
		assert_int_equal(t, i & 1);
		pos = 0;
		assert_int_equal(dvm_agg_next(&r->m, t, &pos, &e), i % 3 == 0);
		if (i % 3 == 0)
			assert_int_equal(e.data[0], 1);
	}
	da_free(r);
}

static void test_full(void **state)
{
	struct dvm_opts o;
	struct dvm_drops d;
	struct drun *r;
	struct dvm_aggent e;
	uint64_t pos = 0, counted = 0, entries = 0;

	dvm_opts_default(&o);
	o.aggsize = 2000;
	r = keyed(&o);
	r->ev.execname = "x";
	for (int i = 0; i < 1000; i++) {
		r->ev.arg[0] = (uint64_t)i;
		da_fire(r, 0);
	}
	dvm_drops_take(&r->m, &d);
	while (dvm_agg_next(&r->m, 0, &pos, &e))
		if (e.agg == 0) {
			entries++;
			counted += e.data[0];
		}
	assert_in_range(entries, 20, 40);
	assert_int_equal(counted + d.agg, 1000);
	dvm_agg_flip(&r->m);
	da_fire(r, 0);
	dvm_drops_take(&r->m, &d);
	assert_int_equal(d.agg, 0);
	da_free(r);

	o.aggsize = 0;
	r = keyed(&o);
	da_fire(r, 0);
	dvm_drops_take(&r->m, &d);
	assert_int_equal(d.agg, 2);
	da_free(r);
}

/* A forged table: walking it ends and stays inside. */
static void test_hostile(void **state)
{
	unsigned seed = 1;

	for (int round = 0; round < 300; round++) {
		struct dvm_opts o;
		struct drun *r;
		struct dvm_aggent e;
		uint64_t pos = 0, sum = 0;
		uint8_t *b;

		dvm_opts_default(&o);
		o.aggsize = 4096;
		r = keyed(&o);
		for (int i = 0; i < 50; i++) {
			r->ev.arg[0] = (uint64_t)i;
			da_fire(r, 0);
		}
		b = (uint8_t *)r->arena + r->m.l.agg[0];
		for (int k = 0; k < 200; k++)
			b[(unsigned)rand_r(&seed) % (r->m.l.agg_slots * 8 + 4096)] = (uint8_t)rand_r(&seed);
		while (dvm_agg_next(&r->m, 0, &pos, &e)) {
			size_t at = 0;

			for (unsigned w = 0; w < r->img->aggs.count; w++)
				sum += e.data[0];
			while (dvm_item_next(e.key, e.keylen, &at))
				sum++;
		}
		da_fire(r, 0);
		da_free(r);
	}
}

#define NTHREADS 4
#define NFIRE 20000

struct worker {
	struct drun *r;
	struct dvm m;
	int n;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	void *scratch = calloc(1, dvm_scratch_size(w->r->img, &w->m.opts));
	struct dvm_event ev = w->r->ev;

	for (int i = 0; i < NFIRE; i++) {
		ev.tid = w->n + 1;
		ev.arg[0] = (uint64_t)(i % 50);
		dvm_fire(&w->m, scratch, 0, &ev);
	}
	free(scratch);
	return NULL;
}

static void test_threads(void **state)
{
	struct drun *r = keyed(NULL);
	struct worker w[NTHREADS];
	pthread_t t[NTHREADS];
	uint64_t pos = 0;
	unsigned entries = 0;
	struct dvm_aggent e;

	for (int i = 0; i < NTHREADS; i++) {
		w[i] = (struct worker){ .r = r, .m = r->m, .n = i };
		pthread_create(&t[i], NULL, work, &w[i]);
	}
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
	while (dvm_agg_next(&r->m, 0, &pos, &e)) {
		entries++;
		if (e.agg == 0)
			assert_int_equal(e.data[0], NTHREADS * NFIRE / 50);
		else
			assert_int_equal(e.data[0], NTHREADS * NFIRE / 50 * (49 * 50 / 2));
	}
	assert_int_equal(entries, 51);
	da_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple),     cmocka_unit_test(test_quantize), cmocka_unit_test(test_lquantize),
		cmocka_unit_test(test_llquantize), cmocka_unit_test(test_keys),     cmocka_unit_test(test_flip),
		cmocka_unit_test(test_full),       cmocka_unit_test(test_hostile),  cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
