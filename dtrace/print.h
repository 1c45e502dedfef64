/* How values appear on the output: trace(), keys and values of aggregations, histograms, exactly as dtrace(1) prints them.
 * Everything printed here may come from a guest; lengths were checked by whoever made the datum, contents are shown as they are. */
#ifndef DTRACE_PRINT_H
#define DTRACE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dtrace/program.h"
#include "dvm/dvm.h"

struct dt_print {
	FILE *out;
	bool quiet, rawbytes;
	unsigned stackindent;
};

/* One value: its type and the item that holds it (NULL: missing, prints as 0 or ""). Their kinds need not agree. */
struct dt_datum {
	const struct dt_val *v;
	const struct dvm_item *it;
};

/* The value of one aggregation entry. */
struct dt_aggval {
	const struct dvm_agg *desc;
	const uint64_t *data; /* desc->ndata words */
	int64_t normal;       /* divisor */
};

/* An integer as its type reads it: cut to its size, sign-extended if it is signed. */
int64_t dt_datum_int(const struct dt_datum *d);
/* The bytes of a string or array; *len without anything from the first NUL of a string on. */
const char *dt_datum_bytes(const struct dt_datum *d, size_t *len);

void dt_print_trace(struct dt_print *p, const struct dt_datum *d);
void dt_print_key(struct dt_print *p, const struct dt_datum *d);
void dt_print_aggval(struct dt_print *p, const struct dt_aggval *a);
void dt_print_rawbytes(struct dt_print *p, const void *data, size_t len);
/* Program counters, one a line, indented; the first line starts on a line of its own. */
void dt_print_ustack(struct dt_print *p, const struct dt_datum *d, unsigned indent);
/* Text, left-aligned in width columns; width < 0 aligns right. */
void dt_print_padded(struct dt_print *p, const char *s, size_t len, int width);

/* Normalised value of an entry that is one number (not a histogram). */
int64_t dt_agg_scalar(const struct dt_aggval *a);
/* a / n without traps: n = 0 counts as 1. */
int64_t dt_div(int64_t a, int64_t n);
static inline bool dt_agg_is_hist(const struct dvm_agg *a)
{
	return a->func >= DVM_AGG_QUANTIZE;
}

/* Histograms: print_hist.c. */
void dt_print_hist(struct dt_print *p, const struct dt_aggval *a);
/* Sum of value x count over all buckets, and the count at zero: what histograms are sorted by. */
long double dt_hist_sum(const struct dvm_agg *desc, const uint64_t *data, int64_t *zero);

#endif
