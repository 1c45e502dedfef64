/* One session: the talk with its holder, and the arena it shares with it. Nothing that comes over either is believed before
 * it was checked; a holder that goes away ends its session and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "dtrace/consumer_impl.h"

#define REC_MAX (64u << 20) /* bytes of one record that we are willing to hold */

static void session_lost(struct session *s)
{
	if (s->sock >= 0)
		close(s->sock);
	s->sock = -1;
}

/* Notes what a message says, whoever waits for what. */
static void take_message(struct dt_consumer *c, struct session *s, const struct ses_msg *m)
{
	uint32_t t;

	switch (m->type) {
	case SES_WAKE:
		c->wake = true;
		break;
	case SES_ENDED:
		c->wake = true;
		t = m->u.ended.target;
		if (t < SES_MAXTARGETS && (t < s->ntargets || s->ntargets == 0) && !s->ended[t]) {
			s->ended[t] = true;
			s->nended++;
		}
		break;
	case SES_SNAPPED:
	case SES_STOPPED:
		s->table = m->u.snapped.table;
		break;
	default:
		break;
	}
}

/* Waits for something to read on the session's socket. Returns 0, -EINTR once the user is impatient. */
static int wait_readable(const struct session *s)
{
	struct pollfd p = { .fd = s->sock, .events = POLLIN };

	for (;;) {
		int r;

		if (dt_impatient())
			return -EINTR;
		r = poll(&p, 1, 1000); /* a signal between the test and poll() costs a second at most */
		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return -errno;
	}
}

int session_call(struct dt_consumer *c, struct session *s, struct ses_msg *m, int fd, uint32_t answer, int *answer_fd, struct err *e)
{
	struct ses_msg in;
	int r, got;

	if (s->sock < 0)
		return err_msg(e, EPIPE, "%s: the tracer has gone", s->name);
	m->version = SES_VERSION;
	r = ses_send(s->sock, m, fd);
	while (r == 0) {
		r = wait_readable(s);
		if (r < 0)
			break;
		got = -1;
		r = ses_recv(s->sock, &in, &got);
		if (r <= 0) {
			r = r ? r : -EPIPE;
			break;
		}
		r = 0;
		if (in.type == SES_ERROR) {
			if (got >= 0)
				close(got);
			in.u.error.text[sizeof(in.u.error.text) - 1] = '\0';
			return err_msg(e, EPERM, "%s", in.u.error.text);
		}
		take_message(c, s, &in);
		if (in.type == answer && answer_fd) {
			*answer_fd = got;
			return got >= 0 ? 0 : err_msg(e, EPROTO, "%s: the tracer sent no memory", s->name);
		}
		if (got >= 0)
			close(got);
		if (in.type == answer)
			return 0;
	}
	if (r == -EINTR)
		return err_msg(e, EINTR, "interrupted");
	session_lost(s);
	if (r == -EPIPE || r == -ECONNRESET)
		return err_msg(e, EPIPE, "%s: the tracer has gone", s->name);
	return err_set(e, -r, "%s", s->name);
}

void session_pump(struct dt_consumer *c, struct session *s)
{
	while (s->sock >= 0) {
		struct pollfd p = { .fd = s->sock, .events = POLLIN };
		struct ses_msg in;
		int got = -1;

		if (poll(&p, 1, 0) <= 0)
			return;
		if (ses_recv(s->sock, &in, &got) <= 0) {
			session_lost(s);
			c->wake = true;
			return;
		}
		if (got >= 0)
			close(got);
		take_message(c, s, &in);
	}
}

bool session_ended(const struct session *s)
{
	return s->fixed_targets && s->nended >= (s->ntargets ? s->ntargets : 1);
}

bool session_over(const struct session *s)
{
	return s->sock < 0 || session_ended(s);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	session_lost(s);
	if (s->arena)
		munmap(s->arena, s->arena_size);
	free(s->img);
	free(s->name);
	free(s->rec);
	free(s);
}

/* A sealed memfd with the image. */
static int image_memfd(const struct dvm_image *img, size_t len, struct err *e)
{
	_cleanup_close_ int fd = memfd_create("d-program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t off = 0;

	if (fd < 0)
		return err_set(e, errno, "memfd_create");
	while (off < len) {
		ssize_t n = write(fd, (const char *)img + off, len - off);

		if (n <= 0)
			return err_set(e, n < 0 ? errno : EIO, "writing the program");
		off += (size_t)n;
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		return err_set(e, errno, "sealing the program");
	return steal_fd(&fd);
}

static uint32_t opt32(const struct dt_opts *o, enum dt_opt i)
{
	return o->val[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)o->val[i];
}

static void machine_opts(const struct dt_opts *o, struct dvm_opts *d)
{
	dvm_opts_default(d);
	d->strsize = opt32(o, DT_OPT_STRSIZE);
	d->bufsize = opt32(o, DT_OPT_BUFSIZE);
	d->aggsize = opt32(o, DT_OPT_AGGSIZE);
	d->dynvarsize = opt32(o, DT_OPT_DYNVARSIZE);
	d->scratchsize = opt32(o, DT_OPT_SCRATCHSIZE);
	d->bufpolicy = opt32(o, DT_OPT_BUFPOLICY);
	d->destructive = o->val[DT_OPT_DESTRUCTIVE] != 0;
}

static int map_arena(struct session *s, int fd, const struct dvm_opts *o, struct err *e)
{
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return err_set(e, errno, "%s: trace memory", s->name);
	if (st.st_size <= 0)
		return err_msg(e, EPROTO, "%s: the tracer sent no memory", s->name);
	/* So that nobody can pull it away under our reads; the holder may have done so already. */
	(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
	s->arena_size = (size_t)st.st_size;
	s->arena = mmap(NULL, s->arena_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s->arena == MAP_FAILED) {
		s->arena = NULL;
		return err_set(e, errno, "%s: trace memory", s->name);
	}
	r = dvm_open(&s->m, s->img, o, s->arena, s->arena_size);
	return r < 0 ? err_msg(e, -r, "%s: traced by another build of this program, whose memory is laid out otherwise; "
			       "use that build, or start the zone anew", s->name) : 0;
}

static int session_open(struct dt_consumer *c, struct session *s, const struct dt_target *t, struct err *e)
{
	_cleanup_close_ int img = -1, arena = -1;
	struct ses_msg m;
	int r;

	memset(&m, 0, sizeof(m));
	m.type = SES_OPEN;
	/* Every session fires BEGIN, END and tick, since variables are its own; only the first one shows what they record. */
	m.u.open.flags = SES_F_CONTROL | (t->zone ? SES_F_ZONE : 0) | (t->follow ? SES_F_FOLLOW : 0);
	m.u.open.ntargets = t->npid;
	m.u.open.consumer = getpid();
	for (unsigned i = 0; i < t->npid; i++)
		m.u.open.target[i] = t->pid[i];
	machine_opts(c->opts, &m.u.open.opts);
	img = image_memfd(s->img, c->imglen, e);
	if (img < 0)
		return img;
	r = session_call(c, s, &m, img, SES_OPENED, &arena, e);
	return r < 0 ? r : map_arena(s, arena, &m.u.open.opts, e);
}

int dt_consumer_add(struct dt_consumer *c, int sock, const struct dt_target *t, struct err *e)
{
	struct session *s = calloc(1, sizeof(*s)), **all;
	int r;

	if (!s) {
		close(sock);
		return err_set(e, ENOMEM, "session");
	}
	s->sock = sock;
	s->control = c->nsess == 0;
	s->ntargets = t->npid;
	s->fixed_targets = t->zone || t->npid;
	s->name = strdup(t->name);
	if (t->npid > SES_MAXTARGETS) {
		session_free(s);
		return err_msg(e, E2BIG, "too many processes: at most %d", SES_MAXTARGETS);
	}
	if (s->control) {
		s->img = malloc(c->imglen);
		if (s->img)
			memcpy(s->img, c->img, c->imglen);
	} else {
		s->img = image_mute(c->img, c->imglen);
	}
	all = reallocarray(c->sess, c->nsess + 1, sizeof(struct session *));
	if (all)
		c->sess = all;
	r = s->name && s->img && all ? session_open(c, s, t, e) : err_set(e, ENOMEM, "session");
	if (r < 0) {
		session_free(s);
		return r;
	}
	c->sess[c->nsess++] = s;
	return 0;
}

const struct dvm_rec *session_peek(struct dt_consumer *c, struct session *s)
{
	while (!s->len) {
		size_t need = 0;
		long r = s->cap ? dvm_buf_read(&s->m, s->rec, s->cap, &need) : -ENOSPC;

		if (r == 0)
			return NULL;
		if (r > 0) {
			s->len = (size_t)r;
			break;
		}
		if (r == -ENOSPC) {
			size_t cap = need > s->cap ? (need + 4095) & ~(size_t)4095 : s->cap ? s->cap * 2 : 65536;
			uint8_t *p = cap <= REC_MAX ? realloc(s->rec, cap) : NULL;

			if (p) {
				s->rec = p;
				s->cap = cap;
				continue;
			}
		}
		if (!s->spoilt)
			fprintf(stderr, "dtrace: %s: the trace buffer is damaged; records were lost\n", s->name);
		s->spoilt = true;
		return NULL;
	}
	return (const struct dvm_rec *)(const void *)s->rec;
}

static void merge_table(struct dt_consumer *c, struct session *s)
{
	struct dvm_aggent ent;
	uint64_t pos = 0;

	if (s->table > 1)
		return;
	while (dvm_agg_next(&s->m, s->table, &pos, &ent))
		agg_store_merge(&c->aggs, &ent);
}

int sessions_snap(struct dt_consumer *c, struct err *e)
{
	uint64_t now = dt_now(); /* before any table is flipped: what was counted by now is in one of them */

	for (unsigned i = 0; i < c->nsess; i++) {
		struct session *s = c->sess[i];
		struct ses_msg m;
		int r;

		if (s->sock < 0 || s->stopped)
			continue;
		memset(&m, 0, sizeof(m));
		m.type = SES_SNAP;
		r = session_call(c, s, &m, -1, SES_SNAPPED, NULL, e);
		if (r == -EINTR)
			return r;
		if (r == 0)
			merge_table(c, s);
	}
	c->snapped = now;
	return 0;
}

int session_stop(struct dt_consumer *c, struct session *s, struct err *e)
{
	struct ses_msg m;
	int r;

	if (s->sock < 0 || s->stopped)
		return 0;
	memset(&m, 0, sizeof(m));
	m.type = SES_STOP;
	r = session_call(c, s, &m, -1, SES_STOPPED, NULL, e);
	if (r < 0)
		return r;
	s->stopped = true;
	merge_table(c, s);
	return 0;
}

void session_finish_here(struct dt_consumer *c, struct session *s)
{
	static const struct dvm_ops ops;
	const struct dvm_probe *p = (const struct dvm_probe *)(const void *)((const char *)s->img + s->img->probes.off);
	struct dvm_event ev = { .ops = &ops, .pid = getpid(), .tid = getpid(), .ppid = getppid(), .timestamp = dt_now(),
				.execname = "dtrace", .zonename = "global", .lxhow = "" };
	size_t need = dvm_scratch_size(s->img, &s->m.opts);
	void *scratch = need ? aligned_alloc(64, (need + 63) & ~(size_t)63) : NULL;

	if (s->stopped)
		return;
	if (scratch) {
		memset(scratch, 0, need);
		dvm_set_activity(&s->m, DVM_DRAINING);
		for (uint32_t i = 0; i < s->img->probes.count; i++) {
			if (p[i].kind == DVM_P_END)
				dvm_fire(&s->m, scratch, i, &ev);
		}
	}
	free(scratch);
	dvm_set_activity(&s->m, DVM_STOPPED);
	s->stopped = true;
	s->table = dvm_agg_flip(&s->m);
	merge_table(c, s);
}

static void report_drop(const struct dt_consumer *c, const char *tag, uint64_t n, const char *what, const char *where)
{
	if (!n)
		return;
	fprintf(stderr, "dtrace: ");
	if (c->opts->val[DT_OPT_DROPTAGS])
		fprintf(stderr, "[%s] ", tag);
	fprintf(stderr, "%llu %s%s%s\n", (unsigned long long)n, what, n > 1 ? "s" : "", where);
}

void sessions_report_drops(struct dt_consumer *c)
{
	struct dvm_drops sum = { 0 };

	for (unsigned i = 0; i < c->nsess; i++) {
		struct dvm_drops d = { 0 };

		dvm_drops_take(&c->sess[i]->m, &d);
		sum.principal += d.principal;
		sum.agg += d.agg;
		sum.dynvar += d.dynvar;
		sum.dblerror += d.dblerror;
	}
	sum.agg += c->aggs.lost;
	c->aggs.lost = 0;
	/* All threads of a session share its buffer: there is no CPU to name but the first. */
	report_drop(c, "DTRACEDROP_PRINCIPAL", sum.principal, "drop", " on CPU 0");
	report_drop(c, "DTRACEDROP_AGGREGATION", sum.agg, "aggregation drop", " on CPU 0");
	report_drop(c, "DTRACEDROP_DYNAMIC", sum.dynvar, "dynamic variable drop", "");
	report_drop(c, "DTRACEDROP_DBLERROR", sum.dblerror, "error", " in ERROR probe enabling");
}
