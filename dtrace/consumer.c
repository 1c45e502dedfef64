/* The consumer's life: opens its sessions, then round after round takes over aggregations and prints records in the order of
 * their time, until something ends it. Rates are those of the options: switchrate for records, aggrate for the tables,
 * statusrate for drops. A holder that has something urgent (exit(), a half full buffer, a target's end) wakes it. */
#include "dtrace/consumer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dtrace/consumer_impl.h"

volatile sig_atomic_t dt_interrupted;

uint64_t dt_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void on_signal(int signo)
{
	(void)signo;
	if (dt_interrupted < 2)
		dt_interrupted++;
}

void dt_consumer_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction old, act = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	}
}

void dt_consumer_supervised(struct dt_consumer *c)
{
	c->supervised = true;
}

struct dt_consumer *dt_consumer_new(struct dt_prog *prog, struct dt_opts *opts, FILE *out, struct err *e)
{
	struct dt_consumer *c = calloc(1, sizeof(*c));
	struct dt_aggmeta *meta;
	uint32_t naggs;

	if (!c) {
		err_set(e, ENOMEM, "consumer");
		return NULL;
	}
	c->prog = prog;
	c->opts = opts;
	c->print.out = out;
	c->print.quiet = opts->val[DT_OPT_QUIET];
	c->print.rawbytes = opts->val[DT_OPT_RAWBYTES];
	c->print.stackindent = (unsigned)(opts->val[DT_OPT_STACKINDENT] % 1000);
	c->testing = getenv("_DTRACE_TESTING") != NULL;
	c->stdout_fd = -1;
	if (dt_prog_image(prog, &c->img, &c->imglen, e) < 0) {
		free(c);
		return NULL;
	}
	c->clauses = dt_prog_clauses(prog, &c->nclauses);
	meta = dt_prog_aggs(prog, &naggs);
	if (naggs > c->img->aggs.count)
		naggs = c->img->aggs.count;
	if (agg_store_init(&c->aggs, (const struct dvm_agg *)(const void *)((const char *)c->img + c->img->aggs.off), meta, naggs) < 0) {
		err_set(e, ENOMEM, "consumer");
		dt_consumer_free(c);
		return NULL;
	}
	return c;
}

void dt_consumer_free(struct dt_consumer *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->nsess; i++)
		session_free(c->sess[i]);
	free(c->sess);
	free(c->child);
	agg_store_fini(&c->aggs);
	if (c->stdout_fd >= 0)
		close(c->stdout_fd);
	free(c->img);
	free(c);
}

int dt_consumer_go(struct dt_consumer *c, struct err *e)
{
	for (unsigned i = 0; i < c->nsess; i++) {
		struct ses_msg m;
		int r;

		memset(&m, 0, sizeof(m));
		m.type = SES_GO;
		r = session_call(c, c->sess[i], &m, -1, SES_RUNNING, NULL, e);
		if (r == -EPIPE && i > 0) {
			fprintf(stderr, "dtrace: %s\n", e->msg); /* a zone that ended meanwhile: the others go on */
			continue;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* The session whose next record is the oldest. BEGIN of the first comes before and END after all others by their time. */
static struct session *oldest(struct dt_consumer *c)
{
	struct session *best = NULL;
	uint64_t time = 0;

	for (unsigned i = 0; i < c->nsess; i++) {
		const struct dvm_rec *r = session_peek(c, c->sess[i]);

		if (r && (!best || r->time < time)) {
			best = c->sess[i];
			time = r->time;
		}
	}
	return best;
}

/* Prints what is in the buffers. A record that looks at aggregations waits until all that was counted before it has been
 * taken over: for that, tables are flipped once more in the round; what is newer still comes in the next one. */
static int drain(struct dt_consumer *c, bool final, struct err *e)
{
	bool snapped = final;
	struct session *s;
	int r;

	if (!final && c->opts->val[DT_OPT_BUFPOLICY] != DVM_BUF_SWITCH)
		return 0; /* fill keeps the first, ring the last records for the end */
	while ((s = oldest(c))) {
		const struct dvm_rec *rec = session_peek(c, s);

		if (dt_impatient())
			return err_msg(e, EINTR, "interrupted");
		if (!final && rec->time > c->snapped && record_needs_aggs(c, rec)) {
			if (snapped)
				break;
			r = sessions_snap(c, e);
			if (r < 0)
				return r;
			snapped = true;
			continue;
		}
		record_consume(c, s, rec);
		session_next(s);
	}
	return 0;
}

/* A failed write ends the session, as it would never end otherwise: nobody reads. */
static int flush_output(struct dt_consumer *c, struct err *e)
{
	if (fflush(c->print.out) == 0 && !ferror(c->print.out))
		return 0;
	if (errno == EINTR) {
		clearerr(c->print.out);
		return 0;
	}
	return err_set(e, errno ? errno : EIO, "failed to write the output");
}

/* exit() was called, or a buffer is full that is to be filled once. A session that is not in control may have called exit() in
 * a tick: the one in control is about to do the same. */
static bool exit_called(const struct dt_consumer *c)
{
	for (unsigned i = 0; i < c->nsess; i++) {
		const struct session *s = c->sess[i];
		enum dvm_activity a = dvm_activity(&s->m);

		if ((s->control && (a == DVM_DRAINING || a == DVM_STOPPED)) || dvm_buf_full(&s->m))
			return true;
	}
	return c->exited;
}

static void on_child(int signo)
{
	(void)signo; /* only ends the wait */
}

int dt_consumer_add_child(struct dt_consumer *c, pid_t pid, struct err *e)
{
	struct sigaction act = { .sa_handler = on_child, .sa_flags = SA_RESTART };
	pid_t *all = reallocarray(c->child, c->nchild + 1, sizeof(*all));

	if (!all)
		return err_set(e, ENOMEM, "consumer");
	c->child = all;
	c->child[c->nchild++] = pid;
	sigaction(SIGCHLD, &act, NULL);
	return 0;
}

/* There were children, and all have ended. Their tracer reaps first, so all that they did is in the buffers then. */
static bool children_over(struct dt_consumer *c)
{
	bool over = c->nchild > 0;

	for (unsigned i = 0; i < c->nchild; i++) {
		if (c->child[i] > 0 && waitpid(c->child[i], NULL, WNOHANG) != 0)
			c->child[i] = 0;
		over = over && c->child[i] == 0;
	}
	return over;
}

/* When the session in control is over and others go on, one of them takes its place: ticks go on. */
static void pass_control(struct dt_consumer *c)
{
	struct session *from = NULL, *to = NULL;

	for (unsigned i = 0; i < c->nsess; i++) {
		if (c->sess[i]->control)
			from = c->sess[i];
		else if (!to && !session_over(c->sess[i]))
			to = c->sess[i];
	}
	if (!from || !to || !session_over(from))
		return;
	from->control = false;
	to->control = true;
}

static bool all_over(struct dt_consumer *c)
{
	if (children_over(c))
		return true;
	pass_control(c);
	for (unsigned i = 0; i < c->nsess; i++) {
		if (!session_over(c->sess[i]))
			return false;
	}
	return true;
}

/* Sleeps until a holder has something to say, a signal came, or `until`. */
static void wait_event(struct dt_consumer *c, uint64_t until, const sigset_t *mask)
{
	struct pollfd *p = calloc(c->nsess, sizeof(*p));
	uint64_t now = dt_now(), left = until > now ? until - now : 0;
	struct timespec ts = { .tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u) };

	for (unsigned i = 0; p && i < c->nsess; i++) {
		p[i].fd = c->sess[i]->sock; /* -1 is skipped */
		p[i].events = POLLIN;
	}
	if (left)
		ppoll(p, p ? c->nsess : 0, &ts, mask);
	free(p);
	for (unsigned i = 0; i < c->nsess; i++)
		session_pump(c, c->sess[i]);
}

static uint64_t next_due(uint64_t last, uint64_t rate, uint64_t now)
{
	uint64_t due;

	if (rate < 1000000)
		rate = 1000000;
	return __builtin_add_overflow(last, rate, &due) ? UINT64_MAX : due > now ? due : now;
}

/* Unless the user chose a rate, output comes sooner than dtrace(1)'s once a second: it costs next to nothing, and a printa()
 * sees aggregations closer to its own time. */
static uint64_t switch_rate(const struct dt_consumer *c)
{
	return c->opts->set[DT_OPT_SWITCHRATE] ? c->opts->val[DT_OPT_SWITCHRATE] : 100000000;
}

static int round_once(struct dt_consumer *c, uint64_t *last_agg, uint64_t *last_status, struct err *e)
{
	uint64_t now = dt_now();
	int r = 0;

	/* A holder wakes us once until it is asked for a snapshot. */
	if (c->wake || (c->aggs.naggs && now - *last_agg >= c->opts->val[DT_OPT_AGGRATE])) {
		*last_agg = now;
		r = sessions_snap(c, e);
	}
	c->wake = false;
	if (r == 0)
		r = drain(c, false, e);
	if (now - *last_status >= c->opts->val[DT_OPT_STATUSRATE]) {
		*last_status = now;
		sessions_report_drops(c);
	}
	return r < 0 ? r : flush_output(c, e);
}

/* Stops a session, here if its holder has gone. 0, -EPIPE if it had gone before its end, -EINTR. */
static int stop_one(struct dt_consumer *c, struct session *s)
{
	struct err e;
	int r = session_stop(c, s, &e);

	if (r == -EINTR)
		return r;
	if (s->stopped)
		return 0;
	session_finish_here(c, s);
	if (session_ended(s))
		return 0;
	if (c->nsess > 1) /* with one session the end of us all says it */
		fprintf(stderr, "dtrace: %s: the tracer has gone\n", s->name);
	return -EPIPE;
}

/* Stops all sessions, the one in control last: its END comes after everything. An error if none was left. */
static int stop_all(struct dt_consumer *c, struct err *e)
{
	unsigned lost = 0;

	for (int control = 0; control <= 1; control++) {
		for (unsigned i = 0; i < c->nsess; i++) {
			int r = c->sess[i]->control == control ? stop_one(c, c->sess[i]) : 0;

			if (r == -EINTR)
				return err_msg(e, EINTR, "interrupted");
			lost += r < 0;
		}
	}
	return lost && lost == c->nsess ? err_msg(e, EPIPE, "%s: the tracer has gone", c->sess[0]->name) : 0;
}

int dt_consumer_run(struct dt_consumer *c, int *status, struct err *e)
{
	uint64_t last_switch = dt_now(), last_agg = 0, last_status = last_switch;
	sigset_t block, old;
	bool said = false;
	int r, lost;

	/* Signals are let in only while we wait, so that none is missed between the test and the wait. */
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGCHLD);
	for (;;) {
		r = round_once(c, &last_agg, &last_status, e);
		if (r < 0)
			return r;
		if (dt_interrupted || exit_called(c) || all_over(c))
			break;
		sigprocmask(SIG_BLOCK, &block, &old);
		while (!c->wake && !children_over(c)) {
			uint64_t due = next_due(last_switch, switch_rate(c), dt_now());

			if (dt_interrupted || dt_now() >= due)
				break;
			wait_event(c, due, &old);
		}
		sigprocmask(SIG_SETMASK, &old, NULL);
		last_switch = dt_now();
		if (dt_interrupted && !c->testing && !c->supervised && !said)
			putc('\n', c->print.out); /* behind the terminal's ^C */
		said = said || dt_interrupted;
	}
	lost = stop_all(c, e);
	if (lost == -EINTR)
		return lost;
	r = drain(c, true, e);
	if (r < 0)
		return r;
	sessions_report_drops(c);
	putc('\n', c->print.out);
	agg_print_rest(&c->aggs, &c->print, c->opts);
	*status = c->status;
	r = flush_output(c, e);
	return r < 0 ? r : lost;
}
