/* A parsed format, shared by format.c (parses, checks) and format_print.c (prints). */
#ifndef DTRACE_FORMAT_IMPL_H
#define DTRACE_FORMAT_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "dtrace/format.h"

/* How a conversion prints its value. */
enum dt_convkind {
	DT_CONV_NONE,    /* literal text only */
	DT_CONV_PERCENT, /* %% */
	DT_CONV_DINT,    /* d i: as the value's type is, signed or not */
	DT_CONV_SINT,    /* c */
	DT_CONV_UINT,    /* u o x X p */
	DT_CONV_FLOAT,
	DT_CONV_STR,     /* s */
	DT_CONV_ESTR,    /* S: escaped */
	DT_CONV_ECHR,    /* C: escaped character */
	DT_CONV_WSTR,    /* ls ws */
	DT_CONV_ADDR,    /* a A */
	DT_CONV_STACK,   /* k */
	DT_CONV_YEAR,    /* Y: 1973 Dec  3 17:20:00 */
	DT_CONV_TIME822, /* T */
};

#define DT_CF_ALT   1u
#define DT_CF_ZERO  2u
#define DT_CF_LEFT  4u
#define DT_CF_PLUS  8u
#define DT_CF_GROUP 16u
#define DT_CF_SPACE 32u
#define DT_CF_AGG   64u  /* %@ */
#define DT_CF_DYNW  128u /* * */
#define DT_CF_DYNP  256u /* .* */

struct dt_conv {
	const char *text; /* literal in front of the conversion, not terminated */
	uint32_t textlen;
	uint16_t flags;
	uint8_t kind;     /* enum dt_convkind */
	char out;         /* the character that C's printf gets: d u x s ... */
	int width, prec;  /* 0: none */
	const struct dt_convdef *def;
};

struct dt_fmt {
	char *text;  /* owned copy of the format with D's escapes already resolved */
	bool printa;
	unsigned n;
	struct dt_conv conv[];
};

#endif
