/* The life of a session: OPEN, GO, SNAP, STOP as the consumer asks, ticks as time goes, and its end when the socket closes.
 * A consumer that breaks the protocol or stops reading is dropped; nothing here waits for one. */
#include "emul/holder_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/host/cleanup.h"

static uint64_t bit(const struct session *s)
{
	return 1ull << s->slot;
}

static void reply(struct session *s, struct ses_msg *m, enum ses_type type, int fd)
{
	m->type = type;
	m->version = SES_VERSION;
	if (ses_send(s->sock, m, fd) < 0)
		s->dead = true; /* gone, or it does not read what it asked for */
}

static void fail(struct session *s, const char *text)
{
	struct ses_msg m = { 0 };

	snprintf(m.u.error.text, sizeof(m.u.error.text), "%s", text);
	reply(s, &m, SES_ERROR, -1);
	eng_drop(&s->h->eng, bit(s));
	s->state = SES_S_STOPPED;
}

int session_add(struct holder *h, int sock)
{
	struct session *s;
	unsigned slot = 0;

	while (slot < ENG_MAXSESSIONS && h->session[slot])
		slot++;
	s = slot < ENG_MAXSESSIONS ? calloc(1, sizeof(*s)) : NULL;
	if (!s || fcntl(sock, F_SETFL, O_NONBLOCK) < 0 || holder_watch(h, sock, EP_SESSION, slot) < 0) {
		free(s);
		close(sock);
		return -EAGAIN;
	}
	s->h = h;
	s->slot = slot;
	s->sock = sock;
	s->timer = -1;
	h->session[slot] = s;
	h->nsession++;
	return 0;
}

void session_del(struct holder *h, struct session *s)
{
	h->going &= ~bit(s);
	eng_drop(&h->eng, bit(s));
	h->session[s->slot] = NULL;
	h->nsession--;
	session_unload(s);
	close(s->sock);
	if (s->timer >= 0)
		close(s->timer);
	free(s);
}

void session_wake(struct session *s)
{
	struct ses_msg m = { .type = SES_WAKE, .version = SES_VERSION };

	if (s->woken || s->dead)
		return;
	if (dvm_activity(&s->m) != DVM_DRAINING && dvm_buf_used(&s->m) < s->opts.bufsize / 2)
		return;
	s->woken = true;
	ses_send(s->sock, &m, -1); /* a consumer that is behind has enough to read anyway */
}

/* ---- Ticks ---- */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void timer_arm(struct session *s)
{
	struct itimerspec it = { 0 };
	uint64_t due = UINT64_MAX;

	for (unsigned i = 0; i < s->ntick; i++)
		if (s->tick[i].due < due)
			due = s->tick[i].due;
	it.it_value.tv_sec = (time_t)(due / 1000000000u);
	it.it_value.tv_nsec = (long)(due % 1000000000u);
	timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &it, NULL);
}

void session_tick(struct session *s)
{
	uint64_t now = now_ns(), n;

	if (read(s->timer, &n, sizeof(n)) < 0 || s->state != SES_S_GOING || dvm_activity(&s->m) != DVM_ACTIVE)
		return;
	for (unsigned i = 0; i < s->ntick; i++) {
		struct session_tick *t = &s->tick[i];

		if (t->due > now)
			continue;
		session_fire_probe(s, t->probe);
		t->due += t->period;
		if (t->due <= now) /* late by more than a period: what was missed is not made up for */
			t->due = now + t->period;
	}
	timer_arm(s);
}

static int ticks_start(struct session *s)
{
	uint64_t now = now_ns();

	if (!s->ntick || !(s->flags & SES_F_CONTROL))
		return 0;
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->timer < 0 || holder_watch(s->h, s->timer, EP_TIMER, s->slot) < 0)
		return -errno;
	for (unsigned i = 0; i < s->ntick; i++)
		s->tick[i].due = now + s->tick[i].period;
	timer_arm(s);
	return 0;
}

/* ---- Messages ---- */

static int session_targets(struct session *s, struct err *e)
{
	struct eng *eng = &s->h->eng;

	if (s->flags & (SES_F_ZONE | SES_F_FOLLOW))
		eng->follow |= bit(s);
	if (s->flags & SES_F_ZONE) {
		eng->zone |= bit(s);
		return eng_attach_zone(eng, bit(s), e);
	}
	for (uint32_t i = 0; i < s->ntargets; i++) {
		int r = eng_attach(eng, s->target[i], s->consumer, bit(s), e);

		if (r < 0)
			return r;
	}
	return 0;
}

static void session_open(struct session *s, const struct ses_msg *m, int image)
{
	_cleanup_close_ int arena = -1;
	struct ses_msg r = { 0 };
	struct err e = { 0 };

	s->flags = m->u.open.flags;
	s->consumer = m->u.open.consumer;
	s->ntargets = m->u.open.ntargets;
	memcpy(s->target, m->u.open.target, sizeof(s->target));
	if (image < 0) {
		fail(s, "no program was sent");
		return;
	}
	if (session_load(s, image, &m->u.open.opts, &arena, &e) < 0) {
		fail(s, e.msg);
		return;
	}
	if (s->vtime)
		holder_calibrate(s->h);
	if (session_targets(s, &e) < 0) {
		fail(s, e.msg);
		return;
	}
	s->state = SES_S_OPEN;
	reply(s, &r, SES_OPENED, arena);
}

static void session_go(struct session *s)
{
	struct ses_msg r = { 0 };

	if (s->flags & SES_F_CONTROL)
		session_fire_own(s, DVM_P_BEGIN);
	if (dvm_activity(&s->m) == DVM_WARMUP) /* else BEGIN called exit() */
		dvm_set_activity(&s->m, DVM_ACTIVE);
	s->state = SES_S_GOING;
	if (ticks_start(s) < 0) {
		fail(s, "no timer for tick probes");
		return;
	}
	s->h->going |= bit(s);
	reply(s, &r, SES_RUNNING, -1);
}

static void session_stop(struct session *s)
{
	struct ses_msg r = { 0 };

	s->h->going &= ~bit(s);
	eng_drop(&s->h->eng, bit(s));
	if (s->state == SES_S_GOING && (s->flags & SES_F_CONTROL)) {
		dvm_set_activity(&s->m, DVM_DRAINING);
		s->woken = true; /* it looks anyway */
		session_fire_own(s, DVM_P_END);
	}
	dvm_set_activity(&s->m, DVM_STOPPED);
	s->state = SES_S_STOPPED;
	r.u.snapped.table = dvm_agg_flip(&s->m);
	reply(s, &r, SES_STOPPED, -1);
}

static bool open_is_sound(const struct session *s, const struct ses_msg *m)
{
	const uint32_t known = SES_F_ZONE | SES_F_CONTROL | SES_F_FOLLOW;

	return s->state == SES_S_NEW && !(m->u.open.flags & ~known) && m->u.open.ntargets <= SES_MAXTARGETS &&
	       (!(m->u.open.flags & SES_F_ZONE) || s->h->conf->zone_pidns);
}

void session_message(struct session *s)
{
	_cleanup_close_ int fd = -1;
	struct ses_msg m, r = { 0 };
	int n = ses_recv(s->sock, &m, &fd);

	if (n == -EAGAIN)
		return;
	s->dead = true; /* unless the message is one that may come now */
	if (n <= 0)
		return;
	if (m.type == SES_OPEN && open_is_sound(s, &m)) {
		s->dead = false;
		session_open(s, &m, fd);
	} else if (m.type == SES_GO && s->state == SES_S_OPEN) {
		s->dead = false;
		session_go(s);
	} else if (m.type == SES_SNAP && (s->state == SES_S_GOING || s->state == SES_S_OPEN)) {
		s->dead = s->woken = false;
		r.u.snapped.table = dvm_agg_flip(&s->m);
		reply(s, &r, SES_SNAPPED, -1);
	} else if (m.type == SES_STOP && (s->state == SES_S_GOING || s->state == SES_S_OPEN)) {
		s->dead = false;
		session_stop(s);
	}
}

/* The zone's monitor is gone, and with it the zone: also where its init could not be held, sessions learn it. */
void sessions_zone_ended(struct holder *h)
{
	for (unsigned i = 0; i < ENG_MAXSESSIONS; i++) {
		struct session *s = h->session[i];
		struct ses_msg m = { 0 };

		if (!s || !(s->flags & SES_F_ZONE) || s->state == SES_S_NEW || s->state == SES_S_STOPPED)
			continue;
		m.u.ended.status = -1;
		reply(s, &m, SES_ENDED, -1);
	}
}

void eng_on_end(struct eng *e, struct eng_proc *p, int status)
{
	struct holder *h = e->up;

	for (unsigned i = 0; i < ENG_MAXSESSIONS; i++) {
		struct session *s = h->session[i];

		for (uint32_t k = 0; s && k < s->ntargets; k++) {
			struct ses_msg m = { 0 };

			if (s->target[k] != p->tgid || s->state == SES_S_NEW || s->state == SES_S_STOPPED)
				continue;
			s->target[k] = 0;
			m.u.ended.target = k;
			m.u.ended.status = status;
			reply(s, &m, SES_ENDED, -1);
		}
	}
}
