/* What the files of the holder share: the holder itself and the sessions it serves. */
#ifndef EMUL_HOLDER_IMPL_H
#define EMUL_HOLDER_IMPL_H

#include "dvm/dvm.h"
#include "emul/engine_ptrace.h"
#include "emul/session.h"

enum session_state { SES_S_NEW, SES_S_OPEN, SES_S_GOING, SES_S_STOPPED };

struct session_tick {
	uint32_t probe;
	uint64_t period, due; /* ns, CLOCK_MONOTONIC */
};

#define SES_N_CPU  1u /* also for every record */
#define SES_N_COMM 2u
#define SES_N_ZID  4u
#define SES_N_PPID 8u

struct session {
	struct holder *h;
	unsigned slot;             /* its bit in the engine's masks */
	int sock;
	enum session_state state;
	bool dead;                 /* to be closed by the event loop */
	bool woken;                /* WAKE was sent and not yet answered by SNAP */
	uint32_t flags;            /* SES_F_* */
	pid_t consumer;
	uint32_t ntargets;
	pid_t target[SES_MAXTARGETS]; /* 0 once it has ended */

	struct dvm m;
	struct dvm_image *img;     /* private, verified copy */
	struct dvm_opts opts;
	void *arena, *scratch;
	size_t arena_size;
	bool vtime;                /* the program reads vtimestamp */
	uint8_t *needs;            /* [probe]: what its clauses read of the thread, SES_N_* */

	/* Probes of a call: [entry or return][abi][row] is the first one's index + 1, next[] the following one's. */
	uint32_t *probe[2][LX_NABI];
	uint32_t *next;
	struct session_tick *tick;
	unsigned ntick;
	int timer;
};

struct holder {
	const struct holder_conf *conf;
	struct eng eng;
	struct session *session[ENG_MAXSESSIONS];
	unsigned nsession;
	uint64_t going;            /* sessions that fire */
	int epoll, sigfd;
	bool closing;              /* the monitor is gone, */
	uint64_t close_by;         /* and sessions are served until then (ms) */
	uint8_t *how[LX_NABI];     /* [row]: enum lx_how in this world */
	uint64_t cost[2];          /* CPU ns of a traced empty call: inside it, between two; 0 until calibrated */
	bool calibrated;
	unsigned max_schedstat;    /* descriptors that may be kept open for vtimestamp */
};

enum { EP_SIGNAL = 1, EP_CONTROL, EP_LISTENER, EP_SESSION, EP_TIMER };
int holder_watch(struct holder *h, int fd, unsigned kind, unsigned slot);

/* holder_session.c */
int session_add(struct holder *h, int sock); /* takes the socket, also when it fails */
void session_del(struct holder *h, struct session *s);
void session_message(struct session *s);
void session_tick(struct session *s);
/* ENDED to all sessions on the zone. */
void sessions_zone_ended(struct holder *h);
/* After probes have fired: tells the consumer that it should look. */
void session_wake(struct session *s);

/* session_program.c: the image, the arena, and which probes there are */
int session_load(struct session *s, int image_fd, const struct dvm_opts *opts, int *arena_fd, struct err *e);
void session_unload(struct session *s);

/* holder_fire.c */
void session_fire_own(struct session *s, enum dvm_probe_kind kind); /* BEGIN, END */
void session_fire_probe(struct session *s, uint32_t probe);         /* one, in the tracer's context */

/* holder_cost.c */
void holder_calibrate(struct holder *h);

#endif
