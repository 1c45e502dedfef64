/* A compiled D program: the image that the machine runs, and what only the consumer needs to know: which actions follow
 * the data of a record, with which formats and types. Several sources (-n, -s) compile into one program and share its
 * variables and aggregations. */
#ifndef DTRACE_PROGRAM_H
#define DTRACE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/host/err.h"
#include "dtrace/options.h"
#include "dtrace/probes.h"
#include "dvm/image.h"

/* How one value of a record or key is shown. */
enum dt_valkind { DT_VAL_INT, DT_VAL_STRING, DT_VAL_BYTES, DT_VAL_USTACK };

struct dt_val {
	uint8_t kind;     /* enum dt_valkind */
	uint8_t size;     /* of an integer: 1, 2, 4, 8 bytes */
	bool is_signed;
	bool is_char_array; /* BYTES that trace() prints as text when printable */
	uint32_t bytes;   /* BYTES */
	char *type;       /* D type name: "int", "string", "struct timespec" */
};

enum dt_actkind {
	DT_ACT_TRACE,      /* trace(val) */
	DT_ACT_PRINTF,     /* fmt, val[] */
	DT_ACT_PRINTA,     /* fmt or NULL, agg[] */
	DT_ACT_CLEAR, DT_ACT_TRUNC, DT_ACT_NORMALIZE, DT_ACT_DENORMALIZE, /* agg[0], val[0] = count or divisor where given */
	DT_ACT_EXIT,       /* val[0] */
	DT_ACT_TRACEMEM, DT_ACT_PRINT, DT_ACT_USTACK, DT_ACT_SYSTEM, DT_ACT_FREOPEN, DT_ACT_FTRUNCATE, DT_ACT_SETOPT,
	DT_ACT_SPECULATE, DT_ACT_COMMIT, DT_ACT_DISCARD,
};

struct dt_act {
	uint8_t kind;         /* enum dt_actkind */
	uint32_t nval;        /* this action's items in the record, after those of the actions before it */
	struct dt_val *val;
	struct dt_fmt *fmt;   /* parsed format (format.h), NULL if none */
	uint32_t nagg;
	uint32_t *agg;        /* image aggregation indices */
	uint32_t line;        /* source line, for messages */
};

struct dt_clausemeta { /* parallel to the image's clauses */
	uint32_t line;
	uint32_t nact;
	struct dt_act *act;
};

struct dt_aggmeta { /* parallel to the image's aggs */
	char *name;           /* "" for @ */
	uint8_t func;         /* enum dvm_aggfunc */
	uint32_t nkey;
	struct dt_val *key;
	int64_t normal;       /* divisor, set by the consumer; starts at 1 */
};

/* How many probes one source's clauses matched, for "matched N probes": clause x probe. */
struct dt_matched { uint32_t probes; };

struct dt_prog;

struct dt_prog *dt_prog_new(struct dt_probes *ps, struct dt_opts *opts);
void dt_prog_free(struct dt_prog *p);

struct dt_source {
	const char *text;     /* D source, NUL-terminated */
	const char *file;     /* name for messages; NULL for -n and friends */
	int argc;             /* macro arguments: argv[0] is $0 */
	char *const *argv;
	int64_t target;       /* $target, -1 if none */
	bool zdefs;           /* descriptions that match nothing are fine (-Z) */
	bool pspec;           /* text is a probe description with optional predicate and body, as -P -m -f -n take it */
	uint8_t spec;         /* with pspec: which part a lone word names: 0 name (-n), 1 function (-f), 2 module (-m), 3 provider (-P) */
};

/* Compiles one source into p. On error the message is "line N: TEXT" (without "failed to compile script ..."), its tag D_*;
 * "line N: in action list: TEXT" (or "in predicate") for text without a file, "\"FILE\", line N: TEXT" where a preprocessor
 * named another file. p is then only good for dt_prog_free(). #pragma D option acts on the options at once. */
int dt_compile(struct dt_prog *p, const struct dt_source *src, struct dt_matched *m, struct err *e);

/* Lays out the image of everything compiled so far. The block is malloc'ed, the caller frees it. */
int dt_prog_image(struct dt_prog *p, struct dvm_image **img, size_t *len, struct err *e);

const struct dt_clausemeta *dt_prog_clauses(const struct dt_prog *p, uint32_t *n);
struct dt_aggmeta *dt_prog_aggs(struct dt_prog *p, uint32_t *n);

/* Does the program need -w (raise, stop, chill, system, copyout ...)? */
bool dt_prog_destructive(const struct dt_prog *p);

#endif
