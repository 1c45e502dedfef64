/* Finding rows, values of arguments, and how worlds serve rows. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lx_syscall/decode.h"
#include "lx_syscall/lx.h"
#include "lx_syscall/lx_rows.h"
#include "lx_syscall/world.h"

static void rows_are_found(void **state)
{
	unsigned row;

	assert_int_equal(lx_nrows, LX_NROWS);
	for (row = 0; row < lx_nrows; row++) {
		assert_int_equal(lx_row_by_name(lx_rows[row].name), row);
		for (int abi = 0; abi < LX_NABI; abi++) {
			if (lx_rows[row].nr[abi] >= 0)
				assert_int_equal(lx_row_by_nr((enum lx_abi)abi, (unsigned long)lx_rows[row].nr[abi]), row);
		}
	}
}

static void others_are_not(void **state)
{
	static const char *const names[] = { "", "rea", "readx", "zzz", "A", "_", "~" };
	static const unsigned long nrs[] = { 472, 1000, 0x40000000, 0x40000000 + 1, UINT32_MAX, UINT64_MAX, 1UL << 63 };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(lx_row_by_name(names[i]), -1);
	for (unsigned i = 0; i < sizeof(nrs) / sizeof(nrs[0]); i++) {
		assert_int_equal(lx_row_by_nr(LX_SYS64, nrs[i]), -1);
		assert_int_equal(lx_row_by_nr(LX_SYS32, nrs[i]), -1);
	}
	assert_int_equal(lx_row_by_nr(LX_SYS64, 350), -1);
	assert_int_equal(lx_row_by_nr(LX_SYS32, 415), -1);
	assert_int_equal(lx_row_by_nr(LX_SYS32, 222), -1);
}

static void every_row_is_sound(void **state)
{
	for (unsigned row = 0; row < lx_nrows; row++) {
		const struct lx_row *r = &lx_rows[row];

		for (int abi = 0; abi < LX_NABI; abi++) {
			unsigned reg = 0;

			assert_true(r->nr[abi] >= 0 || !r->nargs[abi]);
			for (unsigned n = 0; n < r->nargs[abi]; n++) {
				const struct lx_arg *a = &r->args[abi][n];

				assert_int_equal(a->reg, reg);
				assert_true(abi == LX_SYS64 ? a->reg == n && a->regs == 1 : a->regs <= 2);
				assert_true(a->width && a->width <= 8 && a->width >= -8);
				reg += a->regs;
			}
			assert_true(reg <= 6);
		}
		assert_true(r->how == LX_PASS || r->note);
		assert_int_equal(r->how == LX_DENY, r->error != 0);
	}
}

static uint64_t value(const char *name, enum lx_abi abi, unsigned n, const uint64_t regs[6])
{
	const struct lx_row *r = &lx_rows[lx_row_by_name(name)];

	assert_true(n < r->nargs[abi]);
	return lx_arg_value(&r->args[abi][n], regs);
}

static void arguments_have_their_width(void **state)
{
	const uint64_t junk[6] = { 0xdeadbeefffffff9c, 0xffffffffffffffff, 0xffffffff, 0x80000000, 1, 0xdeadbeef00000002 };
	uint64_t args[6];

	assert_int_equal((int64_t)value("openat", LX_SYS64, 0, junk), -100);
	assert_int_equal(value("openat", LX_SYS64, 1, junk), UINT64_MAX);
	assert_int_equal(value("openat", LX_SYS32, 1, junk), UINT32_MAX);
	assert_int_equal((int64_t)value("openat", LX_SYS64, 2, junk), -1);
	assert_int_equal(value("openat", LX_SYS64, 3, junk), 0x80000000);
	assert_int_equal((int64_t)value("lseek", LX_SYS32, 1, junk), -1);
	assert_int_equal(value("chown", LX_SYS32, 2, junk), 0xffff);
	assert_int_equal(value("pread64", LX_SYS64, 3, junk), 0x80000000);
	assert_int_equal(value("pread64", LX_SYS32, 3, junk), 0x180000000);
	assert_int_equal(value("fadvise64_64", LX_SYS32, 3, junk), 2);
	lx_args_get(&lx_rows[LX_ROW_fadvise64_64], LX_SYS32, junk, args);
	assert_int_equal((int64_t)args[0], -100);
	assert_int_equal(args[1], UINT64_MAX);
	assert_int_equal(args[2], 0x180000000);
	assert_int_equal(args[3], 2);
	assert_int_equal(args[4], 1);
	lx_args_get(&lx_rows[LX_ROW_openat], LX_SYS64, junk, args);
	assert_memory_equal(args, junk, sizeof(args));
	assert_int_equal(lx_rows[LX_ROW_fadvise64_64].nargs[LX_SYS32], 4);
	assert_string_equal(lx_rows[LX_ROW_openat].args[LX_SYS64][1].type, "const char *");
}

static void check(const struct lx_world *w, const char *name, enum lx_abi abi, enum lx_how how, int error)
{
	int e = 0;

	assert_int_equal(lx_world_how(w, (unsigned)lx_row_by_name(name), abi, &e), how);
	assert_int_equal(e, error);
}

static void worlds_decide(void **state)
{
	struct lx_world w = { 0 };

	assert_false(lx_world_emulates(&w));
	check(&w, "uname", LX_SYS64, LX_PASS, 0);
	check(&w, "getcpu", LX_SYS64, LX_PASS, 0);
	check(&w, "sysinfo", LX_SYS32, LX_PASS, 0);
	check(&w, "bpf", LX_SYS64, LX_DENY, EPERM);
	check(&w, "rseq_slice_yield", LX_SYS64, LX_PASS, 0);
	check(&w, "vserver", LX_SYS64, LX_DENY, ENOSYS);

	w.version = LX_VERSION(2, 6, 32);
	assert_true(lx_world_emulates(&w));
	check(&w, "uname", LX_SYS64, LX_EMULATE, 0);
	check(&w, "olduname", LX_SYS32, LX_EMULATE, 0);
	check(&w, "getcpu", LX_SYS64, LX_DENY, ENOSYS); /* 3.1 there, 2.6.19 on i386 */
	check(&w, "getcpu", LX_SYS32, LX_PASS, 0);
	check(&w, "socket", LX_SYS64, LX_PASS, 0);
	check(&w, "socket", LX_SYS32, LX_DENY, ENOSYS);
	check(&w, "socketcall", LX_SYS32, LX_PASS, 0);
	check(&w, "preadv", LX_SYS64, LX_PASS, 0);
	check(&w, "recvmmsg", LX_SYS64, LX_DENY, ENOSYS);
	check(&w, "bpf", LX_SYS64, LX_DENY, ENOSYS); /* newer beats denied */
	check(&w, "nfsservctl", LX_SYS64, LX_PASS, 0);
	check(&w, "query_module", LX_SYS64, LX_DENY, ENOSYS);
	check(&w, "vserver", LX_SYS64, LX_DENY, ENOSYS);
	w.version = LX_VERSION(2, 4, 0);
	check(&w, "restart_syscall", LX_SYS64, LX_PASS, 0);
	check(&w, "exit_group", LX_SYS32, LX_DENY, ENOSYS);
	w.version = LX_VERSION(3, 1, 0);
	check(&w, "getcpu", LX_SYS64, LX_PASS, 0);
	check(&w, "nfsservctl", LX_SYS64, LX_DENY, ENOSYS);

	w = (struct lx_world){ .cpus = 2 };
	check(&w, "uname", LX_SYS64, LX_PASS, 0);
	check(&w, "sched_getaffinity", LX_SYS32, LX_EMULATE, 0);
	check(&w, "sysinfo", LX_SYS64, LX_PASS, 0);
	w = (struct lx_world){ .memory = 1 << 30 };
	check(&w, "sysinfo", LX_SYS64, LX_EMULATE, 0);
	w = (struct lx_world){ .domainname = "x" };
	check(&w, "uname", LX_SYS32, LX_EMULATE, 0);
}

static void structures_are_laid_out(void **state)
{
	static const struct {
		const char *type;
		unsigned size[LX_NABI];
	} known[] = {
		{ "struct stat", { 144, 64 } },     { "struct timespec", { 16, 8 } }, { "struct rusage", { 144, 72 } },
		{ "struct epoll_event", { 12, 12 } }, { "struct statx", { 256, 256 } }, { "struct sysinfo", { 112, 64 } },
		{ "stack_t", { 24, 12 } },          { "struct timex", { 208, 128 } }, { "struct pollfd", { 8, 8 } },
	};
	const struct lx_struct *s;
	unsigned n;

	for (n = 0; n < sizeof(known) / sizeof(known[0]); n++) {
		for (int abi = 0; abi < LX_NABI; abi++) {
			s = lx_struct_by_type((enum lx_abi)abi, known[n].type);
			assert_non_null(s);
			assert_int_equal(s->size, known[n].size[abi]);
		}
	}
	s = lx_struct_by_type(LX_SYS32, "struct stat64");
	assert_int_equal(s->size, 96);
	for (n = 0; n < s->nfields && strcmp(s->fields[n].name, "st_size"); n++)
		;
	assert_int_equal(s->fields[n].off, 44);
	assert_null(lx_struct_by_type(LX_SYS64, "struct sta"));
	assert_null(lx_struct_by_type(LX_SYS64, ""));
	for (n = 0; lx_struct_nth(LX_SYS64, n); n++)
		assert_ptr_equal(lx_struct_nth(LX_SYS64, n), lx_struct_by_type(LX_SYS64, lx_struct_nth(LX_SYS64, n)->type));
	assert_true(n > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found), cmocka_unit_test(others_are_not), cmocka_unit_test(every_row_is_sound),
		cmocka_unit_test(arguments_have_their_width), cmocka_unit_test(worlds_decide),
		cmocka_unit_test(structures_are_laid_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
