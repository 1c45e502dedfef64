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


static void test_jumps(void **state)
{
	struct dasm *a = start();
	uint32_t j;

	da_li(a, 1, 1);
	j = da_op(a, DVM_JMP, 0, 0, 0, 0);
	da_li(a, 1, 2);
	da_here(a, j);
	j = da_op(a, DVM_JZ, 0, 1, 0, 0); /* not taken */
	da_op(a, DVM_ADDI, 1, 1, 0, 10);
	da_here(a, j);
	j = da_op(a, DVM_JNZ, 0, 1, 0, 0); /* taken */
	da_op(a, DVM_ADDI, 1, 1, 0, 100);
	da_here(a, j);
	da_li(a, 2, 11);
	j = da_op(a, DVM_JEQ, 0, 1, 2, 0); /* taken */
	da_op(a, DVM_ADDI, 1, 1, 0, 1000);
	da_here(a, j);
	j = da_op(a, DVM_JNE, 0, 1, 2, 0); /* not taken */
	da_op(a, DVM_ADDI, 1, 1, 0, 10000);
	da_here(a, j);
	da_li(a, 0, 7); /* r0 stays zero */
	da_op(a, DVM_ADD, 1, 1, 0, 0);
	assert_int_equal(result(a), 10011);
}

static int64_t compare(const char *x, const char *y)
{
	struct dasm *a = start();

	x ? da_ls(a, 2, x) : da_li(a, 2, 0);
	y ? da_ls(a, 3, y) : da_li(a, 3, 0);
	da_op(a, DVM_SCMP, 1, 2, 3, 0);
	return (int64_t)result(a);
}

static void test_scmp(void **state)
{
	char x[400], y[400];

	assert_int_equal(compare("abc", "abc"), 0);
	assert_int_equal(compare("abc", "abd"), -1);
	assert_int_equal(compare("abd", "abc"), 1);
	assert_int_equal(compare("ab", "abc"), -1);
	assert_int_equal(compare("abc", "ab"), 1);
	assert_int_equal(compare("", NULL), 0);
	assert_int_equal(compare(NULL, "a"), -1);
	assert_int_equal(compare(NULL, NULL), 0);
	assert_int_equal(compare("\x80", "a"), 1);
	memset(x, 'x', sizeof(x));
	memset(y, 'x', sizeof(y));
	x[399] = y[399] = 0;
	x[255] = 'a'; /* beyond strsize - 1 */
	assert_int_equal(compare(x, y), 0);
	x[254] = 'a';
	assert_int_equal(compare(x, y), -1);
}

/* Runs what finish() made and expects a fault. */
static void expect_fault(struct dasm *a, unsigned fault, uint64_t addr, const struct dvm_opts *o)
{
	struct drun *r;
	const struct dvm_rec *rec;

	da_op(a, DVM_RINT, 0, 1, 0, 0);
	r = finish(a, o);
	rec = da_rec(r);
	assert_non_null(rec);
	assert_int_equal(rec->kind, DVM_REC_ERROR);
	assert_int_equal(rec->fault, fault);
	assert_int_equal(rec->addr, addr);
	assert_null(da_rec(r));
	da_free(r);
}

/* r2 = alloca(n) */
static void scratch(struct dasm *a, uint64_t n)
{
	da_li(a, 10, n);
	da_op(a, DVM_CALL, 2, 10, 1, DVM_F_ALLOCA);
}

static void test_memory(void **state)
{
	static const struct { int st, ld, n; uint64_t in, out; } c[] = {
		{ DVM_ST8, DVM_LD8, 1, 0x1f2, 0xf2 }, { DVM_ST8, DVM_LDS8, 1, 0xf2, (uint64_t)-14 },
		{ DVM_ST16, DVM_LD16, 2, 0x1fff2, 0xfff2 }, { DVM_ST16, DVM_LDS16, 2, 0xfff2, (uint64_t)-14 },
		{ DVM_ST32, DVM_LD32, 4, 0x1fffffff2, 0xfffffff2 }, { DVM_ST32, DVM_LDS32, 4, 0xfffffff2, (uint64_t)-14 },
		{ DVM_ST64, DVM_LD64, 8, 0xfedcba9876543210, 0xfedcba9876543210 },
	};
	struct dasm *a;

	for (unsigned i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		a = start();
		scratch(a, 64);
		da_li(a, 3, c[i].in);
		da_op(a, c[i].st, 0, 2, 3, 64 - c[i].n);
		da_op(a, c[i].ld, 1, 2, 0, 64 - c[i].n);
		assert_int_equal(result(a), c[i].out);

		a = start(); /* just past the end */
		scratch(a, 64);
		da_op(a, c[i].st, 0, 2, 3, 64 - c[i].n + 1);
		expect_fault(a, DVM_FLT_BADADDR, 0xd701000000000000 + 64 - (unsigned)c[i].n + 1, NULL);
		a = start(); /* before the start: another region's end */
		scratch(a, 64);
		da_op(a, c[i].ld, 1, 2, 0, -c[i].n);
		expect_fault(a, DVM_FLT_BADADDR, 0xd701000000000000 - (unsigned)c[i].n, NULL);
		a = start(); /* NULL, guest */
		da_op(a, c[i].ld, 1, 0, 0, 0);
		expect_fault(a, DVM_FLT_BADADDR, 0, NULL);
		a = start();
		da_li(a, 2, 0x7fffffffe000);
		da_op(a, c[i].st, 1, 2, 0, 8);
		expect_fault(a, DVM_FLT_BADADDR, 0x7fffffffe008, NULL);
		a = start(); /* string constants are read-only */
		da_ls(a, 2, "constant");
		da_op(a, c[i].st, 0, 2, 3, 0);
		expect_fault(a, DVM_FLT_BADADDR, 0xd700000000000001 + (strlen("dt_clause") + 1), NULL);
		if (c[i].n == 1)
			continue;
		a = start();
		scratch(a, 64);
		da_op(a, c[i].ld, 1, 2, 0, 1);
		expect_fault(a, DVM_FLT_BADALIGN, 0xd701000000000001, NULL);
	}
	a = start(); /* fine on i386, so fine here */
	scratch(a, 64);
	da_op(a, DVM_LD64, 1, 2, 0, 4);
	assert_int_equal(result(a), 0);
}

static void test_faults(void **state)
{
	struct dasm *a;

	for (int op = DVM_SDIV; op <= DVM_UREM; op++) {
		a = start();
		da_li(a, 2, 5);
		da_op(a, op, 1, 2, 0, 0);
		expect_fault(a, DVM_FLT_DIVZERO, 0, NULL);
	}
	a = start();
	scratch(a, (256 << 10) + 1);
	expect_fault(a, DVM_FLT_NOSCRATCH, 0, NULL);
	a = start();
	scratch(a, 256 << 10);
	scratch(a, 1);
	expect_fault(a, DVM_FLT_NOSCRATCH, 0, NULL);
	a = start();
	scratch(a, (uint64_t)-1);
	expect_fault(a, DVM_FLT_NOSCRATCH, 0, NULL);
	a = start();
	da_li(a, 2, 10);
	da_op(a, DVM_BUILTIN, 1, 2, 0, DVM_B_ARG);
	expect_fault(a, DVM_FLT_BADINDEX, 10, NULL);
	a = start();
	for (int i = 0; i < DVM_MAXKEYS + 1; i++)
		da_op(a, DVM_TINT, 0, 0, 0, 0);
	expect_fault(a, DVM_FLT_TUPOFLOW, 0, NULL);
	a = start();
	da_op(a, DVM_RSTR, 0, 0, 0, 0);
	expect_fault(a, DVM_FLT_BADADDR, 0, NULL);
	a = start();
	da_op(a, DVM_CALL, 1, 0, 0, DVM_F_STOP);
	expect_fault(a, DVM_FLT_UPRIV, 0, NULL);
	a = start(); /* base 37 */
	da_ls(a, 2, "abc");
	da_li(a, 3, 37);
	da_op(a, DVM_CALL, 1, 2, 2, DVM_F_STRTOLL);
	expect_fault(a, DVM_FLT_ILLOP, 0, NULL);
}

static uint64_t ask_builtin(const struct dvm_event *ev, int b)
{
	return 1000 + (uint64_t)b;
}

static long ask_string(const struct dvm_event *ev, int b, char *dst, size_t cap)
{
	return b == DVM_B_CWD ? snprintf(dst, cap, "/home/x") : -2;
}

static const struct dvm_ops ops = { .builtin = ask_builtin, .string = ask_string };

static void test_builtins(void **state)
{
	static const struct { int b; uint64_t v; } ints[] = {
		{ DVM_B_PID, 10 }, { DVM_B_TID, 11 }, { DVM_B_PPID, 1000 + DVM_B_PPID }, { DVM_B_UID, 1000 + DVM_B_UID },
		{ DVM_B_GID, 1000 + DVM_B_GID }, { DVM_B_ZPID, 2 }, { DVM_B_ZTID, 3 }, { DVM_B_ZUID, 1000 + DVM_B_ZUID },
		{ DVM_B_ZGID, 1000 + DVM_B_ZGID }, { DVM_B_ID, 101 }, { DVM_B_EPID, 2 }, { DVM_B_TIMESTAMP, 1000 },
		{ DVM_B_VTIMESTAMP, 1000 + DVM_B_VTIMESTAMP }, { DVM_B_WALLTIMESTAMP, 1000 + DVM_B_WALLTIMESTAMP },
		{ DVM_B_ERRNO, 5 }, { DVM_B_CPU, 3 }, { DVM_B_LXCOST, 1000 + DVM_B_LXCOST },
	};
	static const struct { int b; const char *v; } strs[] = {
		{ DVM_B_EXECNAME, "prog" }, { DVM_B_ZONENAME, "global" }, { DVM_B_PROBEPROV, "prov" }, { DVM_B_PROBEMOD, "mod" },
		{ DVM_B_PROBEFUNC, "func" }, { DVM_B_PROBENAME, "entry" }, { DVM_B_LXHOW, "pass" }, { DVM_B_CWD, "/home/x" },
		{ DVM_B_ROOT, "" },
	};
	unsigned nint = sizeof(ints) / sizeof(ints[0]), nstr = sizeof(strs) / sizeof(strs[0]), n = 0;
	struct dasm *a = start();
	const struct dvm_rec *rec;
	struct drun *r;

	da_end(a);
	da_begin(a, 0);
	for (unsigned i = 0; i < DVM_MAXARGS; i++) {
		da_li(a, 2, i);
		da_op(a, DVM_BUILTIN, 1, 2, 0, DVM_B_ARG);
		da_op(a, DVM_RINT, 0, 1, 0, 0);
	}
	for (unsigned i = 0; i < nint; i++) {
		da_op(a, DVM_BUILTIN, 1, 0, 0, ints[i].b);
		da_op(a, DVM_RINT, 0, 1, 0, 0);
	}
	for (unsigned i = 0; i < nstr; i++) {
		da_op(a, DVM_BUILTIN, 1, 0, 0, strs[i].b);
		da_op(a, DVM_RSTR, 0, 1, 0, 0);
	}
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	da_probe(a, DVM_P_SYSCALL_ENTRY, 1, 1);
	r = da_run(a, NULL);
	r->ev.ops = &ops;
	r->ev.zpid = 2;
	r->ev.ztid = 3;
	r->ev.error = 5;
	r->ev.cpu = 3;
	for (unsigned i = 0; i < DVM_MAXARGS; i++)
		r->ev.arg[i] = 500 + i;
	da_fire(r, 1);
	rec = da_rec(r);
	assert_non_null(rec);
	assert_int_equal(rec->kind, DVM_REC_DATA);
	assert_int_equal(rec->clause, 1);
	assert_int_equal(rec->probe, 1);
	assert_int_equal(rec->pid, 10);
	assert_int_equal(rec->tid, 11);
	assert_int_equal(rec->time, 1000);
	for (unsigned i = 0; i < DVM_MAXARGS; i++)
		assert_int_equal(*(const uint64_t *)(da_item(rec, n++) + 1), 500 + i);
	for (unsigned i = 0; i < nint; i++)
		assert_int_equal(*(const uint64_t *)(da_item(rec, n++) + 1), ints[i].v);
	for (unsigned i = 0; i < nstr; i++, n++) {
		assert_int_equal(da_item(rec, n)->kind, DVM_I_STR);
		assert_int_equal(da_item(rec, n)->len, strlen(strs[i].v));
		assert_memory_equal(da_item(rec, n) + 1, strs[i].v, strlen(strs[i].v));
	}
	assert_null(da_item(rec, n));
	/* Without an engine's answers: zero and empty. */
	r->ev.ops = NULL;
	da_fire(r, 1);
	rec = da_rec(r);
	assert_non_null(rec);
	assert_int_equal(rec->kind, DVM_REC_DATA);
	da_free(r);
}

/* A fault drops the record, is reported with the instruction's place, and fires ERROR; a fault there is only counted. */
static void test_error_probe(void **state)
{
	struct dasm *a = start();
	uint32_t loc = da_var(a, DVM_LOCAL, DVM_V_INT, false, 8), fault_in_error;
	const struct dvm_rec *rec;
	struct dvm_drops d;
	struct drun *r;

	da_li(a, 1, 77);
	da_op(a, DVM_STV, 0, 1, 0, loc);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_op(a, DVM_LD8, 1, 1, 0, 1); /* instruction 3, address 78 */
	da_end(a);
	da_begin(a, 0); /* 1: ERROR; this-> is its own */
	da_op(a, DVM_LDV, 1, 0, 0, loc);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_op(a, DVM_STV, 0, 1, 0, loc);
	for (int i = 1; i <= 5; i++) {
		da_li(a, 2, (uint64_t)i);
		da_op(a, DVM_BUILTIN, 1, 2, 0, DVM_B_ARG);
		da_op(a, DVM_RINT, 0, 1, 0, 0);
	}
	da_end(a);
	fault_in_error = da_begin(a, 0);
	da_op(a, DVM_UDIV, 1, 1, 0, 0);
	da_end(a);
	da_begin(a, 0); /* 3: after the fault, same firing: this-> is still there */
	da_op(a, DVM_LDV, 1, 0, 0, loc);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 2, 0, 3);
	da_probe(a, DVM_P_ERROR, 2, 1, fault_in_error);
	r = da_run(a, NULL);
	da_fire(r, 1); /* the engine can't fire ERROR */
	assert_null(da_rec(r));
	da_fire(r, 0);
	rec = da_rec(r);
	assert_int_equal(rec->kind, DVM_REC_ERROR);
	assert_int_equal(rec->clause, 0);
	assert_int_equal(rec->probe, 0);
	assert_int_equal(rec->fault, DVM_FLT_BADADDR);
	assert_int_equal(rec->offset, 3);
	assert_int_equal(rec->addr, 78);
	rec = da_rec(r);
	assert_int_equal(rec->kind, DVM_REC_DATA);
	assert_int_equal(rec->probe, 1);
	assert_int_equal(*(const uint64_t *)(da_item(rec, 0) + 1), 0);
	assert_int_equal(*(const uint64_t *)(da_item(rec, 1) + 1), 1); /* epid */
	assert_int_equal(*(const uint64_t *)(da_item(rec, 2) + 1), 2); /* action */
	assert_int_equal(*(const uint64_t *)(da_item(rec, 3) + 1), 3); /* offset */
	assert_int_equal(*(const uint64_t *)(da_item(rec, 4) + 1), DVM_FLT_BADADDR);
	assert_int_equal(*(const uint64_t *)(da_item(rec, 5) + 1), 78);
	rec = da_rec(r);
	assert_int_equal(rec->clause, 3);
	assert_int_equal(*(const uint64_t *)(da_item(rec, 0) + 1), 77);
	assert_null(da_rec(r));
	dvm_drops_take(&r->m, &d);
	assert_int_equal(d.dblerror, 1);
	da_free(r);
}

static void test_activity(void **state)
{
	struct dasm *a = da_new();
	struct drun *r;

	for (int i = 0; i < 4; i++) { /* 0 BEGIN, 1 tick, 2 END, 3 exits */
		da_begin(a, DVM_CL_RECORD);
		if (i == 3) {
			da_li(a, 1, 3);
			da_op(a, DVM_EXIT, 0, 1, 0, 0);
		}
		da_end(a);
	}
	da_probe(a, DVM_P_BEGIN, 3, 0, 3, 0);
	da_probe(a, DVM_P_TICK, 3, 1, 3, 1);
	da_probe(a, DVM_P_END, 2, 2, 2);
	r = da_run(a, NULL);
	dvm_set_activity(&r->m, DVM_WARMUP);
	da_fire(r, 1);
	assert_null(da_rec(r));
	da_fire(r, 0); /* BEGIN exits: its third clause does not run */
	assert_int_equal(da_rec(r)->clause, 0);
	assert_int_equal(da_rec(r)->clause, 3);
	assert_null(da_rec(r));
	assert_int_equal(dvm_activity(&r->m), DVM_DRAINING);
	dvm_set_activity(&r->m, DVM_ACTIVE); /* the engine goes on as if nothing were: no effect */
	assert_int_equal(dvm_activity(&r->m), DVM_DRAINING);
	da_fire(r, 1);
	da_fire(r, 0);
	assert_null(da_rec(r));
	da_fire(r, 2);
	assert_int_equal(da_rec(r)->clause, 2);
	assert_int_equal(da_rec(r)->clause, 2);
	assert_null(da_rec(r));
	dvm_set_activity(&r->m, DVM_WARMUP);
	dvm_set_activity(&r->m, DVM_ACTIVE);
	da_fire(r, 0);
	assert_null(da_rec(r));
	da_fire(r, 1);
	assert_int_equal(da_rec(r)->clause, 1);
	assert_int_equal(da_rec(r)->clause, 3);
	assert_null(da_rec(r));
	da_free(r);
}

/* exit() in ERROR ends everything: ERROR's other clauses, and those of the probe that failed. */
static void test_error_exit(void **state)
{
	struct dasm *a = start();
	struct drun *r;

	da_op(a, DVM_UDIV, 1, 1, 0, 0);
	da_end(a);
	da_begin(a, 0); /* 1 */
	da_li(a, 1, 9);
	da_op(a, DVM_EXIT, 0, 1, 0, 0);
	da_end(a);
	da_begin(a, DVM_CL_RECORD); /* 2 */
	da_end(a);
	da_probe(a, DVM_P_TICK, 2, 0, 2);
	da_probe(a, DVM_P_ERROR, 2, 1, 2);
	r = da_run(a, NULL);
	da_fire(r, 0);
	assert_int_equal(da_rec(r)->kind, DVM_REC_ERROR);
	assert_int_equal(da_rec(r)->clause, 1);
	assert_null(da_rec(r));
	assert_int_equal(dvm_activity(&r->m), DVM_DRAINING);
	da_free(r);
}

/* Locals are shared by the clauses of a firing and zero at its start; DROP leaves no record; nor does a clause without data. */
static void test_locals(void **state)
{
	struct dasm *a = start();
	uint32_t n = da_var(a, DVM_LOCAL, DVM_V_INT, false, 8), s = da_var(a, DVM_LOCAL, DVM_V_STRING, false, 256);
	uint32_t b = da_var(a, DVM_LOCAL, DVM_V_BYREF, false, 16);
	const struct dvm_rec *rec;
	struct drun *r;

	da_op(a, DVM_LDV, 1, 0, 0, n);
	da_op(a, DVM_ADDI, 1, 1, 0, 1);
	da_op(a, DVM_STV, 0, 1, 0, n);
	da_ls(a, 1, "text");
	da_op(a, DVM_STV, 0, 1, 0, s);
	da_op(a, DVM_LDV, 2, 0, 0, b);
	da_li(a, 3, 0x1122334455667788);
	da_op(a, DVM_ST64, 0, 2, 3, 8);
	da_end(a); /* no data: no record */
	da_begin(a, DVM_CL_RECORD);
	da_op(a, DVM_RINT, 0, 0, 0, 0);
	da_op(a, DVM_DROP, 0, 0, 0, 0);
	da_end(a);
	da_begin(a, 0);
	da_op(a, DVM_LDV, 1, 0, 0, n);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_op(a, DVM_LDV, 1, 0, 0, s);
	da_op(a, DVM_RSTR, 0, 1, 0, 0);
	da_op(a, DVM_LDV, 1, 0, 0, b);
	da_op(a, DVM_RBYTES, 0, 1, 0, 16);
	da_end(a);
	da_probe(a, DVM_P_TICK, 3, 0, 1, 2);
	r = da_run(a, NULL);
	for (int i = 0; i < 2; i++) {
		static const uint8_t want[16] = { [8] = 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 };

		da_fire(r, 0);
		rec = da_rec(r);
		assert_int_equal(rec->clause, 2);
		assert_int_equal(*(const uint64_t *)(da_item(rec, 0) + 1), 1);
		assert_int_equal(da_item(rec, 1)->len, 4);
		assert_memory_equal(da_item(rec, 1) + 1, "text\0\0\0", 8);
		assert_int_equal(da_item(rec, 2)->kind, DVM_I_BYTES);
		assert_memory_equal(da_item(rec, 2) + 1, want, 16);
		assert_null(da_rec(r));
	}
	da_free(r);
}

static void test_disasm(void **state)
{
	struct dasm *a = start();
	struct dvm_image *img;
	char b[100], want[100], tiny[5];

	da_ls(a, 1, "text");
	da_li(a, 2, -5);
	da_op(a, DVM_LD32, 3, 1, 0, 8);
	da_op(a, DVM_CALL, 4, 1, 2, DVM_F_STRJOIN);
	da_op(a, DVM_BUILTIN, 4, 0, 0, DVM_B_EXECNAME);
	da_op(a, DVM_JZ, 0, 4, 0, 0);
	da_end(a);
	img = da_image(a, NULL);
	free(a);
	dvm_disasm(img, 0, b, sizeof(b));
	assert_string_equal(b, "ldstr\t%r1, 11\t! \"text\"");
	dvm_disasm(img, 1, b, sizeof(b));
	assert_string_equal(b, "ldi\t%r2, -5");
	dvm_disasm(img, 2, b, sizeof(b));
	assert_string_equal(b, "ld32\t%r3, %r1, 8");
	dvm_disasm(img, 3, b, sizeof(b));
	snprintf(want, sizeof(want), "call\t%%r4, %%r1, 2, %d\t! strjoin", DVM_F_STRJOIN);
	assert_string_equal(b, want);
	dvm_disasm(img, 4, b, sizeof(b));
	snprintf(want, sizeof(want), "builtin\t%%r4, %%r0, %d\t! execname", DVM_B_EXECNAME);
	assert_string_equal(b, want);
	dvm_disasm(img, 5, b, sizeof(b));
	assert_string_equal(b, "jz\t%r4, 0\t! 6");
	assert_int_equal(dvm_disasm(img, 6, b, sizeof(b)), 3);
	assert_string_equal(b, "ret");
	assert_int_equal(dvm_disasm(img, 7, b, sizeof(b)), 0);
	dvm_disasm(img, 3, tiny, sizeof(tiny));
	assert_string_equal(tiny, "call");
	free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_jumps),       cmocka_unit_test(test_scmp),
		cmocka_unit_test(test_memory),     cmocka_unit_test(test_faults),      cmocka_unit_test(test_builtins),
		cmocka_unit_test(test_error_probe), cmocka_unit_test(test_activity),   cmocka_unit_test(test_locals),
		cmocka_unit_test(test_error_exit), cmocka_unit_test(test_disasm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
