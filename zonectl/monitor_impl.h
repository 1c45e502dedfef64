/* The monitor's parts; stays in this folder. */
#ifndef ZONECTL_MONITOR_IMPL_H
#define ZONECTL_MONITOR_IMPL_H

#include <poll.h>

#include "brand/cgroup.h"
#include "emul/emul.h"
#include "emul/session.h"
#include "zonectl/control.h"
#include "zonectl/monitor.h"
#include "zonectl/start.h"
#include "zonectl/terminal.h"

#define MONITOR_CLIENTS 64

/* ---- init (monitor_init.c) ---- */

/* monitor -> init: SETUP with the plan's sources, SIGNAL; init -> monitor: DONE with the namespaces, FAILED, EXITED. */
enum init_type { INIT_SETUP = 1, INIT_DONE, INIT_FAILED, INIT_SIGNAL, INIT_EXITED };

struct init_msg {
	uint32_t type; /* enum init_type */
	int32_t value; /* SIGNAL: number; EXITED: wait status */
	char text[ERR_MAX];
};

struct init_conf {
	struct zone_start start; /* start.sock: the command's end */
	struct zone_plan *plan;
	int sock;        /* to the monitor */
	char *title;     /* see struct monitor_conf */
	size_t title_size;
};

/* The life of a zone's PID 1, in its new namespaces. */
_Noreturn void zone_init(struct init_conf *c);

/* ---- the monitor ---- */

struct monitor {
	struct monitor_conf *conf;
	struct brand_settings settings;
	struct zone_idmap idmap;
	struct zone_plan plan;
	struct zone_dir dir;
	struct zone_cgroups groups;
	struct zone_info info;
	struct emul_filter filter;
	bool trap;               /* emulated calls go to the holder */
	struct emul_server *server;
	struct emul_notes *notes;
	int notes_fd;

	pid_t init;
	int init_fd;             /* pidfd */
	int init_sock, start_sock;
	int ns[CTL_NNS];
	uint64_t pidns;          /* inode of ns[2] */
	pid_t command;           /* host pid, as the command itself said it */

	int signals;             /* signalfd */
	sigset_t old_mask;
	int listener;            /* control socket */
	int client[MONITOR_CLIENTS];
	unsigned nclients;
	struct terminal term;

	int holder;              /* control socket to the holder, -1 without one */
	pid_t holder_pid;
	pid_t tracer;            /* zonectl dtrace of `run --dtrace`, 0 without one */
	int tracer_ready;        /* pipe */

	bool waiting;            /* the command waits for GO */
	bool running;            /* it runs its own program */
	bool exited;             /* status is the command's */
	int status;              /* wait status */
	uint64_t kill_at;        /* ns, CLOCK_MONOTONIC: when halting turns to SIGKILL; 0: not halting */
	struct start_msg failure; /* type START_FAILED if the start failed */
};

/* The command runs: says so on disk and to who started a zone in the background. */
void monitor_running(struct monitor *m);

/* monitor_loop.c: until init is dead and reaped. */
int monitor_loop(struct monitor *m, struct err *e);
/* Takes what init has still said. True if it told why it failed. */
bool monitor_last_words(struct monitor *m);
int monitor_signal_init(struct monitor *m, int sig);
uint64_t monotonic_ns(void);

/* monitor_control.c */
void monitor_accept(struct monitor *m);
/* Serves client i's next message; false: the connection is over (closed, removed by the caller). */
bool monitor_serve(struct monitor *m, int sock);

/* monitor_holder.c: starts it if there is none. */
int monitor_holder_start(struct monitor *m, struct err *e);
/* One request to the holder, and its answer (within seconds). fd or -1. */
int monitor_holder_ask(struct monitor *m, uint32_t type, pid_t pid, int fd, struct err *e);
/* Ends it: its socket is closed; killed if it does not go. */
void monitor_holder_stop(struct monitor *m);
/* Its process has ended (SIGCHLD). */
void monitor_holder_gone(struct monitor *m);

/* monitor_trace.c: `run --dtrace`. */
int monitor_tracer_start(struct monitor *m, struct err *e);
void monitor_tracer_stop(struct monitor *m);

#endif
