/* printf() and printa() formats: parsed once at compile time, checked against argument types, printed by the consumer. */
#ifndef DTRACE_FORMAT_H
#define DTRACE_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/host/err.h"

struct dt_fmt;
struct dt_val;

/* Parses a format as the D language has it (C's conversions plus %@d %a %A %p %k %Y %T %S ...). Tags D_PRINTF_*, D_PRINTA_*. */
int dt_fmt_parse(const char *text, bool printa, struct dt_fmt **out, struct err *e);
void dt_fmt_free(struct dt_fmt *f);
/* Checks number and types of arguments; for printa, val are the keys (fewer conversions than keys are fine).
 * who: the action's name, "printf". Arguments are counted from 2: the format is the first. */
int dt_fmt_check(const struct dt_fmt *f, const char *who, const struct dt_val *val, unsigned nval, struct err *e);

/* ---- For the consumer ---- */

struct dt_datum;
struct dt_aggval;
struct dt_print;

/* Prints f: data are the arguments (printa: the keys of one entry), aggs the values for %@ (the last one is used again where
 * the format has more of them). Missing data print as 0 or "". */
void dt_fmt_print(struct dt_print *p, const struct dt_fmt *f, const struct dt_datum *data, unsigned ndata,
		  const struct dt_aggval *aggs, unsigned naggs);

#endif
