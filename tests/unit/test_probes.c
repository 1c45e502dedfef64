/* Probe descriptions, the registry and what the providers offer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dtrace/probes.h"
#include "dvm/image.h"
#include "lx_syscall/lx.h"

static void parse(const char *text, const char *prov, const char *mod, const char *func, const char *name)
{
	struct err e = { 0 };
	struct dt_pdesc d;

	if (dt_pdesc_parse(text, &d, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	assert_string_equal(d.prov, prov);
	assert_string_equal(d.mod, mod);
	assert_string_equal(d.func, func);
	assert_string_equal(d.name, name);
	assert_int_equal(d.id, 0);
}

static void test_parse(void **state)
{
	struct err e = { 0 };
	struct dt_pdesc d;
	char text[400];

	(void)state;
	parse("BEGIN", "", "", "", "BEGIN");
	parse("read:entry", "", "", "read", "entry");
	parse("a:b:c:d", "a", "b", "c", "d");
	parse("syscall:::", "syscall", "", "", "");
	parse(" syscall :\tvmlinux: read\n: entry ", "syscall", "vmlinux", "read", "entry");
	parse(":::", "", "", "", "");
	parse("", "", "", "", "");
	assert_int_equal(dt_pdesc_parse(" 17 ", &d, &e), 0);
	assert_int_equal(d.id, 17);
	assert_true(dt_pdesc_parse("a:b:c:d:e", &d, &e) < 0);
	assert_string_equal(e.tag, "D_PDESC_INVAL");
	assert_true(dt_pdesc_parse("0", &d, &e) < 0);
	assert_true(dt_pdesc_parse("99999999999", &d, &e) < 0);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(dt_pdesc_parse(text, &d, &e) < 0);
	assert_string_equal(e.tag, "D_PDESC_INVAL");
}

struct seen {
	unsigned n;
	uint32_t last;
	const struct dt_probe *p;
};

static int see(const struct dt_probe *p, void *arg)
{
	struct seen *s = arg;

	assert_true(p->id > s->last); /* in id order */
	s->last = p->id;
	s->p = p;
	s->n++;
	return 0;
}

static struct seen match(struct dt_probes *ps, const char *text)
{
	struct seen s = { 0 };
	struct err e = { 0 };
	struct dt_pdesc d;
	int n;

	assert_int_equal(dt_pdesc_parse(text, &d, &e), 0);
	n = dt_probes_match(ps, &d, see, &s, &e);
	assert_int_equal(n, s.n);
	return s;
}

static void test_fixed(void **state)
{
	struct dt_probes *ps = dt_probes_new();
	unsigned n = 0;

	(void)state;
	assert_int_equal(match(ps, "BEGIN").p->id, 1);
	assert_int_equal(match(ps, "dtrace:::END").p->id, 2);
	assert_int_equal(match(ps, "ERROR").p->id, 3);
	assert_int_equal(match(ps, "dtrace:::").n, 3);
	assert_int_equal(match(ps, "3").p->kind, DVM_P_ERROR);
	assert_int_equal(match(ps, "12345678").n, 0);
	for (unsigned i = 0; i < lx_nrows; i++)
		n += (lx_rows[i].nr[LX_SYS64] >= 0) + (lx_rows[i].nr[LX_SYS32] >= 0);
	assert_int_equal(match(ps, "lx-syscall:::").n, 2 * n);
	assert_int_equal(match(ps, "syscall:::entry").n, n);
	assert_string_equal(dt_probe_by_id(ps, 1)->name, "BEGIN");
	assert_null(dt_probe_by_id(ps, 0));
	assert_null(dt_probe_by_id(ps, dt_probes_count(ps) + 1));
	dt_probes_free(ps);
}

static void test_syscall(void **state)
{
	struct dt_probes *ps = dt_probes_new();
	struct seen s;

	(void)state;
	assert_int_equal(match(ps, "syscall::read:entry").n, 2);
	assert_int_equal(match(ps, "syscall:vmlinux:read:entry").n, 2);
	assert_int_equal(match(ps, "lx-syscall:sys32:read:entry").n, 1);
	assert_int_equal(match(ps, "lx-syscall:sys3?:read:entry").n, 1);
	assert_int_equal(match(ps, "sys*:vm*:read:entry").n, 2);
	assert_int_equal(match(ps, "lx-syscall:sys64:mmap2:").n, 0);
	assert_int_equal(match(ps, "lx-syscall:sys32:mmap2:").n, 2);
	assert_int_equal(match(ps, "syscall::pread64:entry,").n, 0);
	assert_int_equal(match(ps, "syscall::[p]read64:entry").n, 2);
	assert_int_equal(match(ps, "syscall::[!p]read64:entry").n, 0);
	assert_int_equal(match(ps, "syscall::re\\ad:entry").n, 2);
	assert_int_equal(match(ps, "fbt::read:entry").n, 0);
	s = match(ps, "lx-syscall:sys64:read:entry");
	assert_int_equal(s.p->kind, DVM_P_SYSCALL_ENTRY);
	assert_string_equal(lx_rows[s.p->row].name, "read");
	assert_string_equal(s.p->prov, "lx-syscall");
	assert_string_equal(s.p->mod, "sys64");
	assert_non_null(s.p->provider->argtype(s.p, 2));
	assert_null(s.p->provider->argtype(s.p, 3));
	dt_probes_free(ps);
}

static void test_profile(void **state)
{
	struct dt_probes *ps = dt_probes_new();
	static const struct { const char *name; uint64_t ns; } t[] = {
		{ "tick-5s", UINT64_C(5000000000) }, { "tick-5sec", UINT64_C(5000000000) }, { "profile:::tick-100", 10000000 },
		{ "tick-100hz", 10000000 }, { "tick-1m", UINT64_C(60000000000) }, { "profile-997", 1000000000 / 997 },
		{ "tick-250us", 250000 }, { "tick-1d", UINT64_C(86400000000000) }, { "tick-1h", UINT64_C(3600000000000) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct seen s = match(ps, t[i].name), again;

		assert_int_equal(s.n, 1);
		assert_int_equal(s.p->period_ns, t[i].ns);
		again = match(ps, t[i].name);
		assert_ptr_equal(s.p, again.p);
	}
	assert_int_equal(match(ps, "tick-0").n, 0);
	assert_int_equal(match(ps, "tick-").n, 0);
	assert_int_equal(match(ps, "tick-1x").n, 0);
	assert_int_equal(match(ps, "tick-1ns").n, 0);
	assert_int_equal(match(ps, "tick-99999999999999d").n, 0);
	assert_int_equal(match(ps, "syscall:::tick-7s").n, 0);
	assert_int_equal(match(ps, "profile::f:tick-7s").n, 0);
	dt_probes_free(ps);
}

static int refuse(const struct dt_probe *p, void *arg)
{
	(void)p;
	(void)arg;
	return -7;
}

static void test_callback_error(void **state)
{
	struct dt_probes *ps = dt_probes_new();
	struct err e = { 0 };
	struct dt_pdesc d;

	(void)state;
	dt_pdesc_parse("BEGIN", &d, &e);
	assert_int_equal(dt_probes_match(ps, &d, refuse, NULL, &e), -7);
	dt_pdesc_parse("read:entry", &d, &e);
	assert_int_equal(dt_probes_match(ps, &d, refuse, NULL, &e), -7);
	dt_pdesc_parse("1", &d, &e);
	assert_int_equal(dt_probes_match(ps, &d, refuse, NULL, &e), -7);
	dt_probes_free(ps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse), cmocka_unit_test(test_fixed), cmocka_unit_test(test_syscall), cmocka_unit_test(test_profile),
		cmocka_unit_test(test_callback_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
