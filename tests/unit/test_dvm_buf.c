/* The principal buffer: order, wrapping, policies, many writers, spoilt contents. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "dvm/dvm_impl.h"
#include "tests/unit/dvm_asm.h"

/* Probe 0 records arg0 and arg1 bytes of string; probe 1 (END) records 7. */
static struct drun *recorder(uint32_t bufsize, unsigned policy)
{
	struct dasm *a = da_new();
	char text[256];
	struct dvm_opts o;

	memset(text, 'x', sizeof(text));
	text[255] = 0;
	da_begin(a, 0);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_ARG);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_ls(a, 10, text);
	da_li(a, 11, 0);
	da_li(a, 12, 1);
	da_op(a, DVM_BUILTIN, 12, 12, 0, DVM_B_ARG);
	da_op(a, DVM_CALL, 1, 10, 3, DVM_F_SUBSTR);
	da_op(a, DVM_RSTR, 0, 1, 0, 0);
	da_end(a);
	da_begin(a, 0);
	da_li(a, 1, 7);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	da_probe(a, DVM_P_END, 1, 1);
	dvm_opts_default(&o);
	o.bufsize = bufsize;
	o.bufpolicy = policy;
	return da_run(a, &o);
}

static void put(struct drun *r, uint64_t v, uint64_t n)
{
	r->ev.arg[0] = v;
	r->ev.arg[1] = n;
	da_fire(r, 0);
}

static uint64_t number(const struct dvm_rec *rec)
{
	return *(const uint64_t *)(da_item(rec, 0) + 1);
}

static uint64_t drops(struct drun *r)
{
	struct dvm_drops d;

	dvm_drops_take(&r->m, &d);
	return d.principal;
}

static void test_wrap(void **state)
{
	struct drun *r = recorder(1024, DVM_BUF_SWITCH);
	unsigned seed = 3;
	uint64_t in = 0, out = 0;

	for (int i = 0; i < 20000; i++) {
		uint64_t n = (uint64_t)rand_r(&seed) % 200;

		if (1024 - dvm_buf_used(&r->m) >= 350 + r->m.l.buf_reserve)
			put(r, in++, n);
		while (out < in && rand_r(&seed) % 3) {
			const struct dvm_rec *rec = da_rec(r);

			assert_non_null(rec);
			assert_int_equal(number(rec), out++);
			for (uint32_t k = 0; k < da_item(rec, 1)->len; k++)
				assert_int_equal(((const char *)(da_item(rec, 1) + 1))[k], 'x');
		}
	}
	while (da_rec(r))
		out++;
	assert_int_equal(in, out);
	assert_int_equal(drops(r), 0);
	assert_int_equal(dvm_buf_used(&r->m), 0);
	da_free(r);
}

static void test_switch_full(void **state)
{
	struct drun *r = recorder(1000, DVM_BUF_SWITCH); /* rounded up to 1024 */
	uint64_t got = 0;
	size_t need = 0;
	char small[8];

	for (uint64_t i = 0; i < 100; i++)
		put(r, i, 0);
	assert_int_equal(dvm_buf_read(&r->m, small, sizeof(small), &need), -ENOSPC);
	assert_int_equal(need, sizeof(struct dvm_rec) + 16 + 8);
	for (const struct dvm_rec *rec; (rec = da_rec(r)); got++)
		assert_int_equal(number(rec), got);
	assert_int_equal(got, (1024 - r->m.l.buf_reserve) / (need + 8));
	assert_int_equal(drops(r), 100 - got);
	put(r, 1, 1);
	assert_int_equal(number(da_rec(r)), 1);
	da_free(r);

	r = recorder(64, DVM_BUF_SWITCH); /* smaller than any record */
	put(r, 1, 1);
	assert_null(da_rec(r));
	assert_int_equal(drops(r), 1);
	da_free(r);
}

static void test_fill(void **state)
{
	struct drun *r = recorder(1024, DVM_BUF_FILL);
	uint64_t got = 0;

	for (uint64_t i = 0; i < 100; i++)
		put(r, i, i == 10 ? 250 : 0);
	assert_true(dvm_buf_full(&r->m));
	assert_int_equal(drops(r), 0);
	da_fire(r, 1); /* END has room of its own */
	for (const struct dvm_rec *rec; (rec = da_rec(r)); got++)
		assert_int_equal(number(rec), rec->probe == 1 ? 7 : got);
	assert_int_equal(got, 10 + 1); /* record 10 did not fit: none after it */
	da_free(r);
}

static void test_ring(void **state)
{
	struct drun *r = recorder(1024, DVM_BUF_RING);
	unsigned seed = 9;
	uint64_t next, got = 0;

	for (uint64_t i = 0; i < 5000; i++)
		put(r, i, (uint64_t)rand_r(&seed) % 100);
	da_fire(r, 1);
	next = number(da_rec(r));
	assert_in_range(next, 4985, 4999);
	for (const struct dvm_rec *rec; (rec = da_rec(r)) && rec->probe == 0; got++)
		assert_int_equal(number(rec), ++next);
	assert_int_equal(next, 4999);
	assert_in_range(got, 3, 11);
	assert_int_equal(drops(r), 0);
	da_free(r);
}

/* A writer that died between reserving and committing holds up the reader for a while only. */
static void test_dead_writer(void **state)
{
	struct drun *r = recorder(4096, DVM_BUF_SWITCH);
	struct arena_hdr *h = r->arena;
	int tries;

	put(r, 1, 5);
	h->head += 8 + 96; /* reserved, nothing written */
	put(r, 2, 5);
	assert_int_equal(number(da_rec(r)), 1);
	for (tries = 0; tries < 1000 && !da_rec(r); tries++)
		;
	assert_in_range(tries, 10, 999);
	assert_int_equal(number((struct dvm_rec *)r->rec), 2);
	assert_null(da_rec(r));
	assert_int_equal(drops(r), 1);
	/* Nothing is waited for once the session has stopped. */
	h->head += 8 + 96;
	put(r, 3, 5);
	dvm_set_activity(&r->m, DVM_STOPPED);
	assert_int_equal(number(da_rec(r)), 3);
	da_free(r);
}

static void test_spoilt(void **state)
{
	struct drun *r = recorder(4096, DVM_BUF_SWITCH);
	struct arena_hdr *h = r->arena;
	unsigned seed = 11;
	char buf[8192];

	for (int i = 0; i < 10; i++)
		put(r, 1, 5);
	h->head += 1 << 20;
	assert_int_equal(dvm_buf_read(&r->m, buf, sizeof(buf), NULL), -EPROTO);
	assert_int_equal(dvm_buf_read(&r->m, buf, sizeof(buf), NULL), 0);
	put(r, 2, 5);
	assert_int_equal(number(da_rec(r)), 2);
	h->head += 3;
	assert_int_equal(dvm_buf_read(&r->m, buf, sizeof(buf), NULL), -EPROTO);
	put(r, 2, 5);
	assert_int_equal(number(da_rec(r)), 2);
	for (int policy = DVM_BUF_SWITCH; policy <= DVM_BUF_RING; policy++)
		for (int round = 0; round < 300; round++) {
			da_free(r);
			r = recorder(1024, (unsigned)policy);
			h = r->arena;
			for (int i = 0; i < 100; i++) {
				long n;

				put(r, (uint64_t)i, (uint64_t)rand_r(&seed) % 250);
				((uint8_t *)r->arena)[r->m.l.buf + (unsigned)rand_r(&seed) % 1024] = (uint8_t)rand_r(&seed);
				if (i % 16 == 0)
					((uint8_t *)(i & 16 ? &h->head : &h->tail))[rand_r(&seed) % 8] = (uint8_t)rand_r(&seed);
				n = dvm_buf_read(&r->m, buf, sizeof(buf), NULL);
				assert_true(n == 0 || n == -EPROTO || n >= (long)sizeof(struct dvm_rec));
			}
		}
	da_free(r);
}

#define NTHREADS 4
#define NFIRE 5000

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

	ev.tid = w->n;
	for (uint64_t i = 0; i < NFIRE; i++) {
		ev.arg[0] = i;
		ev.arg[1] = i % 100;
		dvm_fire(&w->m, scratch, 0, &ev);
	}
	free(scratch);
	return NULL;
}

/* Every record arrives once and whole, each thread's in its order, or is counted as dropped. */
static void test_threads(void **state)
{
	for (int policy = DVM_BUF_SWITCH; policy <= DVM_BUF_RING; policy += 2) {
		struct drun *r = recorder(1 << 16, (unsigned)policy);
		struct worker w[NTHREADS];
		pthread_t t[NTHREADS];
		int64_t last[NTHREADS] = { -1, -1, -1, -1 };
		uint64_t got = 0, lost = 0;

		for (int i = 0; i < NTHREADS; i++) {
			w[i] = (struct worker){ .r = r, .m = r->m, .n = i };
			pthread_create(&t[i], NULL, work, &w[i]);
		}
		for (int joined = 0; joined <= NTHREADS;) {
			const struct dvm_rec *rec = policy == DVM_BUF_RING && joined < NTHREADS ? NULL : da_rec(r);

			if (!rec) {
				if (joined < NTHREADS && (policy == DVM_BUF_RING || r->ev.cpu++ % 64 == 63))
					pthread_join(t[joined++], NULL);
				else if (joined == NTHREADS)
					break;
				continue;
			}
			got++;
			assert_int_equal(rec->kind, DVM_REC_DATA);
			assert_in_range(rec->tid, 0, NTHREADS - 1);
			assert_true((int64_t)number(rec) > last[rec->tid]);
			last[rec->tid] = (int64_t)number(rec);
			assert_int_equal(da_item(rec, 1)->len, number(rec) % 100);
		}
		lost = drops(r);
		if (policy == DVM_BUF_SWITCH)
			assert_int_equal(got + lost, NTHREADS * NFIRE);
		else
			assert_in_range(got, 300, 1200);
		assert_null(da_rec(r));
		da_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap), cmocka_unit_test(test_switch_full), cmocka_unit_test(test_fill),
		cmocka_unit_test(test_ring), cmocka_unit_test(test_dead_writer), cmocka_unit_test(test_spoilt),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
