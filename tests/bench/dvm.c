/* What one firing of the D machine costs, in ns: the engine's part (stops, memory) is not in it.
 * dvm [TEXT]: only the programs whose text contains TEXT. */
#include <stdio.h>
#include <time.h>

#include "tests/unit/dvm_asm.h"

static const char *only; /* measure only what contains this */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Fires probes 0..nprobes-1 in turn and prints the ns of one turn. */
static void measure(const char *what, struct dasm *a, unsigned nprobes)
{
	struct drun *r = da_run(a, NULL);
	long n = 4096; /* short rounds, so that some are not interrupted */
	double best = 1e9;

	if (!strstr(what, only)) {
		da_free(r);
		return;
	}
	for (int round = 0; round < 400; round++) {
		double t0 = now();

		for (long i = 0; i < n; i++) {
			for (unsigned p = 0; p < nprobes; p++)
				da_fire(r, p);
			if ((i & 511) == 511)
				while (da_rec(r))
					;
		}
		t0 = (now() - t0) / (double)n;
		best = t0 < best ? t0 : best;
	}
	printf("%-66s %7.1f\n", what, best);
	da_free(r);
}

/* /execname == "x"/ { @[probefunc] = count(); } */
static void count_by_func(const char *name)
{
	struct dasm *a = da_new();
	uint32_t j;

	da_agg(a, DVM_AGG_COUNT, 1);
	da_begin(a, 0);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_EXECNAME);
	da_ls(a, 2, name);
	da_op(a, DVM_SCMP, 1, 1, 2, 0);
	j = da_op(a, DVM_JZ, 0, 1, 0, 0);
	da_op(a, DVM_DROP, 0, 0, 0, 0);
	da_here(a, j);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_PROBEFUNC);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_op(a, DVM_TSTR, 0, 1, 0, 0);
	da_op(a, DVM_AGG, 0, 0, 0, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	measure(*name == 'p' ? "/execname == \"x\"/ { @[probefunc] = count(); }" : "the same, predicate false", a, 1);
}

/* entry { self->ts = timestamp; } return /self->ts/ { @[probefunc] = sum(timestamp - self->ts); self->ts = 0; } */
static void sum_time(void)
{
	struct dasm *a = da_new();
	uint32_t j;

	da_agg(a, DVM_AGG_SUM, 1);
	da_var(a, DVM_THREAD, DVM_V_INT, false, 8);
	da_begin(a, 0);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_TIMESTAMP);
	da_op(a, DVM_STV, 0, 1, 0, 0);
	da_end(a);
	da_begin(a, 0);
	da_op(a, DVM_LDV, 2, 0, 0, 0);
	j = da_op(a, DVM_JNZ, 0, 2, 0, 0);
	da_op(a, DVM_DROP, 0, 0, 0, 0);
	da_here(a, j);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_TIMESTAMP);
	da_op(a, DVM_LDV, 2, 0, 0, 0);
	da_op(a, DVM_SUB, 1, 1, 2, 0);
	da_op(a, DVM_BUILTIN, 3, 0, 0, DVM_B_PROBEFUNC);
	da_op(a, DVM_TRST, 0, 0, 0, 0);
	da_op(a, DVM_TSTR, 0, 3, 0, 0);
	da_op(a, DVM_AGG, 0, 1, 0, 0);
	da_op(a, DVM_FREEV, 0, 0, 0, 0);
	da_end(a);
	da_probe(a, DVM_P_SYSCALL_ENTRY, 1, 0);
	da_probe(a, DVM_P_SYSCALL_RETURN, 1, 1);
	measure("self->ts = timestamp; ... sum(timestamp - self->ts), both probes", a, 2);
}

static void empty(void)
{
	struct dasm *a = da_new();

	da_begin(a, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	measure("an empty clause", a, 1);
}

static void quantize(void)
{
	struct dasm *a = da_new();

	da_agg(a, DVM_AGG_QUANTIZE, DVM_QUANTIZE_NBUCKETS);
	da_begin(a, 0);
	da_li(a, 2, 1);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_ARG);
	da_op(a, DVM_AGG, 0, 1, 2, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	measure("@ = quantize(arg0)", a, 1);
}

/* trace(execname); trace(arg0) */
static void record(void)
{
	struct dasm *a = da_new();

	da_begin(a, 0);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_EXECNAME);
	da_op(a, DVM_RSTR, 0, 1, 0, 0);
	da_op(a, DVM_BUILTIN, 1, 0, 0, DVM_B_ARG);
	da_op(a, DVM_RINT, 0, 1, 0, 0);
	da_end(a);
	da_probe(a, DVM_P_TICK, 1, 0);
	measure("printf(\"%s %d\", execname, arg0), with reading it", a, 1);
}

int main(int argc, char **argv)
{
	only = argc > 1 ? argv[1] : "";
	empty();
	count_by_func("prog");
	count_by_func("other");
	sum_time();
	quantize();
	record();
	return 0;
}
