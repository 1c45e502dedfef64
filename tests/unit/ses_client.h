/* A consumer in small, for tests of the holder: programs that count calls, assembled by hand, and the protocol. */
#ifndef TESTS_SES_CLIENT_H
#define TESTS_SES_CLIENT_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emul/session.h"
#include "lx_syscall/lx.h"
#include "tests/unit/dvm_asm.h"

/* ---- Holders ---- */

struct th { /* a holder process */
	pid_t pid;
	int control;
};

static inline struct th th_start(void)
{
	struct th h;
	int sv[2];

	assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == 0);
	h.pid = fork();
	assert(h.pid >= 0);
	if (h.pid == 0) {
		struct holder_conf c = { .control = 3, .listener = -1 };

		if (sv[1] != 3)
			dup2(sv[1], 3);
		close_range(4, ~0u, 0); /* of other holders and sessions too: their end must be seen */
		_exit(holder_run(&c));
	}
	close(sv[1]);
	h.control = sv[0];
	return h;
}

/* A new consumer's socket. */
static inline int th_connect(const struct th *h)
{
	struct holder_msg m = { .type = HOLDER_CONSUMER };
	struct iovec iov = { &m, sizeof(m) };
	char ctl[CMSG_SPACE(sizeof(int))] = { 0 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl, .msg_controllen = sizeof(ctl) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int sv[2];

	assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == 0);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &sv[1], sizeof(int));
	assert(sendmsg(h->control, &msg, 0) == sizeof(m));
	assert(recv(h->control, &m, sizeof(m), 0) == sizeof(m));
	assert(m.pid == 0);
	close(sv[1]);
	return sv[0];
}

/* Its exit status; it must end by itself, soon. */
static inline int th_stop(struct th *h)
{
	int status;

	close(h->control);
	alarm(20);
	assert(waitpid(h->pid, &status, 0) == h->pid);
	alarm(0);
	return status;
}

/* ---- Programs ---- */

enum { TP_ENTRY, TP_RETURN, TP_BEGIN, TP_END, TP_TICK, TP_NKEYS };

/* Counts entries and returns of the named calls of both ABIs under (kind, abi, row), BEGIN, END and ticks under their kinds. */
static inline struct dasm *tp_count(const char *const *calls, unsigned n, uint64_t tick_ns)
{
	struct dasm *a = da_new();
	unsigned agg = da_agg(a, DVM_AGG_COUNT, 1);

	for (unsigned kind = 0; kind < TP_NKEYS; kind++) {
		bool call = kind <= TP_RETURN;

		for (unsigned i = 0; i < (call ? n * LX_NABI : 1); i++) {
			static const uint8_t kinds[] = { DVM_P_SYSCALL_ENTRY, DVM_P_SYSCALL_RETURN, DVM_P_BEGIN, DVM_P_END,
							 DVM_P_TICK };
			int row = call ? lx_row_by_name(calls[i / LX_NABI]) : 0;
			unsigned clause = da_begin(a, 0);
			uint32_t p;

			assert(row >= 0);
			da_op(a, DVM_TRST, 0, 0, 0, 0);
			da_li(a, 1, kind);
			da_op(a, DVM_TINT, 0, 1, 0, 0);
			da_li(a, 1, call ? i % LX_NABI : 0);
			da_op(a, DVM_TINT, 0, 1, 0, 0);
			da_li(a, 1, (uint64_t)row);
			da_op(a, DVM_TINT, 0, 1, 0, 0);
			da_li(a, 2, 1);
			da_op(a, DVM_AGG, 0, 0, 2, agg);
			da_end(a);
			if (kind == TP_TICK && !tick_ns)
				continue;
			p = da_probe(a, kinds[kind], 1, clause);
			a->probe[p].period_ns = tick_ns;
			a->probe[p].abi = (uint8_t)(call ? i % LX_NABI : 0);
			a->probe[p].row = (uint16_t)row;
		}
	}
	return a;
}

/* ---- Sessions ---- */

static pid_t ts_consumer; /* who the sessions say they are of, 0: us */

struct ts {
	int sock;
	struct dvm m;
	struct dvm_image *img;
	void *arena;
	size_t size;
	int status;     /* of the target that has ended */
	unsigned ended; /* how many have */
	bool woken;
};

static inline int ts_image_fd(const struct dvm_image *img, size_t len)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	assert(fd >= 0 && write(fd, img, len) == (ssize_t)len);
	return fd;
}

/* The next message that is of this type; notes what else may come. 0, or -EPIPE at the end. */
static inline int ts_expect(struct ts *s, enum ses_type type, struct ses_msg *m, int *fd)
{
	struct pollfd p = { .fd = s->sock, .events = POLLIN };

	for (;;) {
		assert(poll(&p, 1, 10000) == 1); /* an answer comes at once, load or not */
		if (ses_recv(s->sock, m, fd) <= 0)
			return -EPIPE;
		if (m->type == type)
			return 0;
		if (m->type == SES_ENDED) {
			s->status = m->u.ended.status;
			s->ended++;
		} else if (m->type == SES_WAKE) {
			s->woken = true;
		} else {
			return -EPROTO;
		}
	}
}

/* Sends OPEN. Takes the assembler. */
static inline void ts_send_open(struct ts *s, int sock, struct dasm *a, unsigned flags, unsigned n, const pid_t *target)
{
	struct ses_msg m = { .type = SES_OPEN, .version = SES_VERSION };
	size_t len;
	int fd;

	memset(s, 0, sizeof(*s));
	s->sock = sock;
	s->img = da_image(a, &len);
	free(a);
	m.u.open.flags = flags;
	m.u.open.ntargets = n;
	m.u.open.consumer = ts_consumer ? ts_consumer : getpid();
	dvm_opts_default(&m.u.open.opts);
	m.u.open.opts.bufsize = 1 << 16;
	m.u.open.opts.aggsize = 1 << 18;
	if (n)
		memcpy(m.u.open.target, target, n * sizeof(pid_t));
	fd = ts_image_fd(s->img, len);
	assert(ses_send(sock, &m, fd) == 0);
	close(fd);
}

/* OPEN to OPENED. 0, or -1 with the holder's words in text. */
static inline int ts_open(struct ts *s, int sock, struct dasm *a, unsigned flags, unsigned n, const pid_t *target, char *text)
{
	struct ses_msg m;
	struct dvm_opts o;
	int fd = -1;

	ts_send_open(s, sock, a, flags, n, target);
	if (ts_expect(s, SES_OPENED, &m, &fd) < 0) {
		if (text)
			memcpy(text, m.u.error.text, ERR_MAX);
		return -1;
	}
	assert(fd >= 0);
	dvm_opts_default(&o);
	o.bufsize = 1 << 16;
	o.aggsize = 1 << 18;
	s->size = dvm_arena_size(s->img, &o);
	s->arena = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert(s->arena != MAP_FAILED && dvm_open(&s->m, s->img, &o, s->arena, s->size) == 0);
	close(fd);
	return 0;
}

static inline void ts_ask(struct ts *s, enum ses_type ask, enum ses_type answer, struct ses_msg *m)
{
	struct ses_msg q = { .type = ask, .version = SES_VERSION };

	assert(ses_send(s->sock, &q, -1) == 0);
	assert(ts_expect(s, answer, m, NULL) == 0);
}

static inline void ts_go(struct ts *s)
{
	struct ses_msg m;

	ts_ask(s, SES_GO, SES_RUNNING, &m);
}

/* Waits for a target's end. */
static inline void ts_wait_ended(struct ts *s)
{
	struct ses_msg m;

	while (!s->ended) {
		assert(ts_expect(s, SES_ENDED, &m, NULL) == 0);
		s->status = m.u.ended.status;
		s->ended++;
	}
}

/* Counts of one table: [kind][abi][row]. */
static inline void ts_counts(struct ts *s, unsigned table, uint64_t (*out)[LX_NABI][1024])
{
	struct dvm_aggent e;
	uint64_t pos = 0;

	while (dvm_agg_next(&s->m, table, &pos, &e)) {
		uint64_t key[3];
		size_t at = 0;

		for (unsigned i = 0; i < 3; i++) {
			const struct dvm_item *it = dvm_item_next(e.key, e.keylen, &at);

			assert(it && it->kind == DVM_I_INT);
			memcpy(&key[i], it + 1, 8);
		}
		out[key[0]][key[1]][key[2]] += e.data[0];
	}
}

/* STOP, adds the last counts, and frees all. */
static inline void ts_stop(struct ts *s, uint64_t (*out)[LX_NABI][1024])
{
	struct ses_msg m;

	ts_ask(s, SES_STOP, SES_STOPPED, &m);
	if (out)
		ts_counts(s, m.u.snapped.table, out);
	munmap(s->arena, s->size);
	free(s->img);
	close(s->sock);
}

#endif
