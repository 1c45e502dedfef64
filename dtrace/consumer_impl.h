/* What the files of the consumer share. */
#ifndef DTRACE_CONSUMER_IMPL_H
#define DTRACE_CONSUMER_IMPL_H

#include <signal.h>

#include "dtrace/consumer.h"
#include "dtrace/print.h"
#include "emul/session.h"

/* ---- Aggregations (consumer_agg.c): everything that was taken from the tables of all sessions. ---- */

struct agg_entry {
	struct agg_entry *next; /* same bucket */
	uint32_t agg, keylen, hash;
	bool cleared;           /* by clear(): the next value replaces this one */
	uint64_t *data;
	uint8_t key[];          /* items, multiple of 8 bytes */
};

struct agg_store {
	const struct dvm_agg *desc; /* of the image */
	struct dt_aggmeta *meta;
	bool *printed;              /* per aggregation: printa() has shown it */
	uint32_t naggs;
	struct agg_entry **bucket;
	size_t nbuckets, n;
	uint64_t lost;              /* entries for which there was no memory */
};

int agg_store_init(struct agg_store *s, const struct dvm_agg *desc, struct dt_aggmeta *meta, uint32_t naggs);
void agg_store_fini(struct agg_store *s);
/* Takes over one entry of a machine's table. */
void agg_store_merge(struct agg_store *s, const struct dvm_aggent *ent);
void agg_store_clear(struct agg_store *s, uint32_t agg);
/* Keeps the n entries of highest value (n < 0: the -n of lowest). */
void agg_store_trunc(struct agg_store *s, uint32_t agg, int64_t n);
/* printa(): fmt may be NULL. */
void agg_printa(struct agg_store *s, struct dt_print *p, const struct dt_opts *o, const struct dt_fmt *fmt, const uint32_t *agg,
		uint32_t nagg);
/* All that printa() has not shown. */
void agg_print_rest(struct agg_store *s, struct dt_print *p, const struct dt_opts *o);

/* ---- Sessions (consumer_session.c) ---- */

struct session {
	char *name;
	int sock;              /* -1 once it is gone */
	bool control;          /* it shows what BEGIN, END and tick record; one session does at a time */
	bool stopped;
	bool fixed_targets;    /* ends when its targets do */
	uint32_t ntargets, nended;
	bool ended[SES_MAXTARGETS];
	struct dvm_image *img; /* as sent: muted where not in control */
	void *arena;
	size_t arena_size;
	struct dvm m;
	uint8_t *rec;          /* the record at hand, 8-byte aligned */
	size_t cap;
	size_t len;            /* 0: none at hand */
	bool spoilt;           /* said so */
	unsigned table;        /* of the last SNAPPED or STOPPED */
};

struct dt_consumer {
	struct dt_prog *prog;
	struct dt_opts *opts;
	struct dvm_image *img;
	size_t imglen;
	const struct dt_clausemeta *clauses;
	uint32_t nclauses;
	struct session **sess;
	unsigned nsess;
	pid_t *child;          /* 0: has ended */
	unsigned nchild;
	struct agg_store aggs;
	uint64_t snapped;      /* CLOCK_MONOTONIC ns: aggregated data up to here are in the store */
	bool wake;             /* a holder asked for attention */
	struct dt_print print;
	bool testing;          /* _DTRACE_TESTING */
	bool supervised;
	bool heading;          /* printed */
	int status;            /* of exit() */
	bool exited;           /* exit() was called in a guest's probe, or in the session in control */
	int flow_indent;
	uint32_t flow_last;    /* probe id of the last record, for -F */
	int stdout_fd;         /* what freopen("") goes back to, -1 before the first */
};

extern volatile sig_atomic_t dt_interrupted; /* signals caught so far */

static inline bool dt_impatient(void)
{
	return dt_interrupted > 1;
}

/* Sends a request and waits for its answer; other messages that come meanwhile are noted. 0, -EINTR (impatient), -EPIPE (the
 * holder has gone), or the holder's refusal. */
int session_call(struct dt_consumer *c, struct session *s, struct ses_msg *m, int fd, uint32_t answer, int *answer_fd, struct err *e);
/* Takes in what has come without waiting. */
void session_pump(struct dt_consumer *c, struct session *s);
/* The record at hand, read if need be; NULL if there is none. */
const struct dvm_rec *session_peek(struct dt_consumer *c, struct session *s);
static inline void session_next(struct session *s)
{
	s->len = 0;
}
/* All targets have ended. */
bool session_ended(const struct session *s);
/* ... or its holder has gone. */
bool session_over(const struct session *s);
void session_free(struct session *s);
/* SNAP or STOP all (live) sessions and take over their tables. */
int sessions_snap(struct dt_consumer *c, struct err *e);
int session_stop(struct dt_consumer *c, struct session *s, struct err *e);
/* Where the holder has gone: fires END and takes over what was counted here, from the memory that is left. */
void session_finish_here(struct dt_consumer *c, struct session *s);
void sessions_report_drops(struct dt_consumer *c);

/* Probes that fire in every session on behalf of the whole program: BEGIN, END, tick. */
bool probe_is_shared(uint8_t kind);
/* A copy of img in which clauses that only such probes enable count nothing. */
struct dvm_image *image_mute(const struct dvm_image *img, size_t len);

/* ---- Records (consumer_record.c) ---- */

/* Prints one record and does its actions. */
void record_consume(struct dt_consumer *c, const struct session *s, const struct dvm_rec *r);
/* True if the record's actions look at aggregations: all that was counted before it must be in the store. */
bool record_needs_aggs(const struct dt_consumer *c, const struct dvm_rec *r);

uint64_t dt_now(void); /* CLOCK_MONOTONIC ns */

#endif
