/* The monitor's side of user notification. One thread at a time, the leader, waits for all listeners, takes a call, runs
 * its handler and answers: the shortest way for a call, since the kernel then switches from guest to leader and back on one
 * CPU. Handlers last microseconds; but a guest may hand us memory whose pages it serves itself (FUSE, userfaultfd) and let
 * us wait for them. So a watcher looks every few milliseconds, while calls come, whether the leader is still at the same
 * call, and then makes a new leader; the old one ends when it gets out. Guests of other zones have other monitors. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/host/features.h"
#include "emul/emul_impl.h"

#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE (1UL << 0)
#endif

#define MAX_THREADS 16   /* leaders that may be held up at once */
#define MAX_LISTENERS 1024
#define WATCH_NS 3000000
#define STACK_SIZE (256 * 1024)

/* A descriptor that threads use outlives its removal until the last of them lets go. */
struct listener {
	int fd;
	unsigned refs;
	bool gone;
};

struct waitset {
	struct pollfd p[MAX_LISTENERS + 1];
	struct listener *l[MAX_LISTENERS + 1];
	unsigned n;
};

struct worker {
	struct emul_server *server;
	struct waitset ws;
	_Atomic unsigned long steps; /* odd: at a call */
	struct seccomp_notif *req;
	struct seccomp_notif_resp *resp;
	size_t req_size, resp_size;
};

struct emul_server {
	struct lx_world world;
	struct emul_notes *notes;
	atomic_uint_least64_t calls;
	atomic_bool stopping, watcher_sleeps;
	_Atomic(struct worker *) leader; /* changes under the lock */
	int wake; /* eventfd: the set of listeners changed, or stop */
	sem_t watch;
	pthread_t watcher;

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t idle;
	unsigned nworkers, nlisteners;
	struct listener *listeners[MAX_LISTENERS];
};

/* ---- One call ---- */

struct notify_trap {
	int fd;
	uint64_t id;
};

static int notify_valid(const struct emul_task *t)
{
	const struct notify_trap *n = t->trap;
	uint64_t id = n->id;

	return ioctl(n->fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) ? -ESRCH : 0;
}

static const struct emul_access notify_access = { notify_valid };

static long run_call(struct emul_server *s, int fd, const struct seccomp_notif *q)
{
	enum lx_abi abi = q->data.arch == AUDIT_ARCH_I386 ? LX_SYS32 : LX_SYS64;
	struct notify_trap trap = { fd, q->id };
	struct emul_task t = {
		.world = &s->world,
		.tid = (pid_t)q->pid,
		.abi = abi,
		.access = &notify_access,
		.trap = &trap,
	};
	int row = lx_row_by_nr(abi, (unsigned)q->data.nr);

	if (row < 0)
		return -ENOSYS;
	if (!t.tid) /* a thread outside our pid namespace: nothing of it can be reached */
		return EMUL_CONTINUE;
	for (int i = 0; i < 6; i++)
		t.args[i] = abi == LX_SYS32 ? (uint32_t)q->data.args[i] : q->data.args[i];
	return emul_call_noted(&t, (unsigned)row, s->notes, (unsigned)q->data.nr);
}

/* Takes and answers one notification. False when the listener is of no more use. */
static bool serve(struct emul_server *s, struct worker *w, int fd)
{
	long r;

	memset(w->req, 0, w->req_size);
	if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, w->req))
		return errno == EINTR || errno == ENOENT || errno == EAGAIN || errno == ENOMEM;
	atomic_fetch_add_explicit(&w->steps, 1, memory_order_seq_cst);
	if (atomic_load(&s->watcher_sleeps) && atomic_exchange(&s->watcher_sleeps, false))
		sem_post(&s->watch);
	r = run_call(s, fd, w->req);
	memset(w->resp, 0, w->resp_size);
	w->resp->id = w->req->id;
	if (r == EMUL_CONTINUE)
		w->resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else if (r < 0)
		w->resp->error = (int)r;
	else
		w->resp->val = r;
	atomic_fetch_add_explicit(&s->calls, 1, memory_order_relaxed);
	/* ENOENT: the guest was killed meanwhile, or interrupted where calls can be; nobody waits for the answer. */
	ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, w->resp);
	atomic_fetch_add_explicit(&w->steps, 1, memory_order_seq_cst);
	return true;
}

/* ---- Listeners ---- */

static void listener_put(struct listener *l)
{
	if (--l->refs)
		return;
	close(l->fd);
	free(l);
}

static void listener_remove(struct emul_server *s, struct listener *l)
{
	if (l->gone)
		return;
	l->gone = true;
	for (unsigned i = 0; i < s->nlisteners; i++) {
		if (s->listeners[i] == l) {
			s->listeners[i] = s->listeners[--s->nlisteners];
			break;
		}
	}
	listener_put(l);
}

int emul_server_add(struct emul_server *s, int fd, struct err *e)
{
	struct listener *l = calloc(1, sizeof(*l));
	uint64_t one = 1;

	if (!l) {
		close(fd);
		return err_set(e, ENOMEM, "listener");
	}
	*l = (struct listener){ .fd = fd, .refs = 1 };
	/* Guest and leader then change places on one CPU; an older kernel refuses and is merely slower. */
	if (host_has(HOST_SYNCWAKE))
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP, 0);
	pthread_mutex_lock(&s->lock);
	if (s->nlisteners == MAX_LISTENERS) {
		pthread_mutex_unlock(&s->lock);
		listener_put(l);
		return err_msg(e, EMFILE, "more than %d commands with emulated calls in one zone", MAX_LISTENERS);
	}
	s->listeners[s->nlisteners++] = l;
	pthread_mutex_unlock(&s->lock);
	if (write(s->wake, &one, sizeof(one)) < 0)
		return err_set(e, errno, "wake the emulation thread");
	return 0;
}

/* ---- The leader ---- */

static void waitset_drop(struct waitset *ws)
{
	for (unsigned i = 1; i < ws->n; i++)
		listener_put(ws->l[i]);
	ws->n = 0;
}

static void waitset_fill(struct emul_server *s, struct waitset *ws)
{
	waitset_drop(ws);
	ws->p[0] = (struct pollfd){ s->wake, POLLIN, 0 };
	for (unsigned i = 0; i < s->nlisteners; i++) {
		ws->l[i + 1] = s->listeners[i];
		ws->l[i + 1]->refs++;
		ws->p[i + 1] = (struct pollfd){ s->listeners[i]->fd, POLLIN, 0 };
	}
	ws->n = s->nlisteners + 1;
}

/* Waits and serves until replaced or stopped. The lock is held neither while waiting nor at a call. */
static void lead(struct emul_server *s, struct worker *w)
{
	struct waitset *ws = &w->ws;
	bool changed = true;
	uint64_t count;

	for (;;) {
		if (changed || atomic_load(&s->leader) != w) {
			pthread_mutex_lock(&s->lock);
			if (atomic_load(&s->leader) != w || atomic_load(&s->stopping)) {
				pthread_mutex_unlock(&s->lock);
				return;
			}
			waitset_fill(s, ws);
			pthread_mutex_unlock(&s->lock);
			changed = false;
		}
		if (poll(ws->p, ws->n, -1) < 0)
			continue;
		if (ws->p[0].revents) {
			changed = true;
			if (read(s->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
				return;
		}
		for (unsigned i = 1; i < ws->n && atomic_load(&s->leader) == w; i++) {
			if (!ws->p[i].revents)
				continue;
			if ((ws->p[i].revents & POLLIN) && serve(s, w, ws->p[i].fd))
				continue;
			pthread_mutex_lock(&s->lock);
			listener_remove(s, ws->l[i]);
			pthread_mutex_unlock(&s->lock);
			changed = true;
		}
	}
}

/* ---- Threads ---- */

static void worker_free(struct worker *w)
{
	if (!w)
		return;
	free(w->req);
	free(w->resp);
	free(w);
}

/* The kernel's structures may have grown since this was compiled; it tells their sizes. */
static struct worker *worker_new(struct emul_server *s)
{
	struct worker *w = calloc(1, sizeof(*w));
	struct seccomp_notif_sizes sizes = { 0 };

	if (!w)
		return NULL;
	syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
	w->server = s;
	w->req_size = sizes.seccomp_notif > sizeof(*w->req) ? sizes.seccomp_notif : sizeof(*w->req);
	w->resp_size = sizes.seccomp_notif_resp > sizeof(*w->resp) ? sizes.seccomp_notif_resp : sizeof(*w->resp);
	w->req = calloc(1, w->req_size);
	w->resp = calloc(1, w->resp_size);
	if (!w->req || !w->resp) {
		worker_free(w);
		return NULL;
	}
	return w;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct emul_server *s = w->server;

	lead(s, w);
	pthread_mutex_lock(&s->lock);
	waitset_drop(&w->ws);
	if (!--s->nworkers)
		pthread_cond_signal(&s->idle);
	pthread_mutex_unlock(&s->lock);
	worker_free(w);
	return NULL;
}

/* No signal of the monitor's is ever handled on a thread of ours. */
static int thread_start(pthread_t *id, bool detached, void *(*fn)(void *), void *arg)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (detached)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(id, &attr, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -r;
}

/* With the lock held. */
static int leader_new(struct emul_server *s)
{
	struct worker *w, *old = atomic_load(&s->leader);
	pthread_t id;
	int r;

	if (s->nworkers >= MAX_THREADS)
		return -EAGAIN;
	w = worker_new(s);
	if (!w)
		return -ENOMEM;
	s->nworkers++;
	atomic_store(&s->leader, w);
	r = thread_start(&id, true, worker_main, w);
	if (r) {
		s->nworkers--;
		atomic_store(&s->leader, old);
		worker_free(w);
	}
	return r;
}

/* One look: replaces a leader that is where it was at the last look; says whether any call came in between. */
static bool watch_once(struct emul_server *s, struct worker **last, unsigned long *steps)
{
	struct worker *w;
	unsigned long now;
	bool moved;

	pthread_mutex_lock(&s->lock);
	if (atomic_load(&s->stopping)) { /* leaders may be gone */
		pthread_mutex_unlock(&s->lock);
		return true;
	}
	w = atomic_load(&s->leader); /* a leader's memory stays as long as it leads */
	now = atomic_load(&w->steps);
	moved = w != *last || now != *steps;
	if (!moved && now & 1) {
		leader_new(s);
		moved = true;
	}
	*last = w;
	*steps = now;
	pthread_mutex_unlock(&s->lock);
	return moved;
}

static void *watcher_main(void *arg)
{
	static const struct timespec pause = { 0, WATCH_NS };
	struct emul_server *s = arg;
	struct worker *last = NULL;
	unsigned long steps = 0;

	while (!atomic_load(&s->stopping)) {
		nanosleep(&pause, NULL);
		if (watch_once(s, &last, &steps))
			continue;
		/* Nothing came: sleep until a leader says that something did. A call that came before it could know this
		 * is seen by the second look. */
		atomic_store(&s->watcher_sleeps, true);
		if (watch_once(s, &last, &steps) && atomic_exchange(&s->watcher_sleeps, false))
			continue;
		while (sem_wait(&s->watch) && errno == EINTR)
			;
	}
	return NULL;
}

struct emul_server *emul_server_new(const struct lx_world *w, struct emul_notes *notes, struct err *e)
{
	struct emul_server *s = calloc(1, sizeof(*s));
	int r;

	if (!s) {
		err_set(e, ENOMEM, "emulation");
		return NULL;
	}
	s->watcher = pthread_self(); /* none yet */
	s->world = *w;
	s->notes = notes;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->idle, NULL);
	sem_init(&s->watch, 0, 0);
	s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->wake < 0) {
		err_set(e, errno, "emulation: eventfd");
		free(s);
		return NULL;
	}
	pthread_mutex_lock(&s->lock);
	r = leader_new(s);
	pthread_mutex_unlock(&s->lock);
	if (!r) {
		r = thread_start(&s->watcher, false, watcher_main, s);
		if (!r)
			return s;
		s->watcher = pthread_self();
	}
	err_set(e, -r, "emulation: thread");
	emul_server_free(s);
	return NULL;
}

uint64_t emul_server_calls(const struct emul_server *s)
{
	return atomic_load(&s->calls);
}

/* Waits a second for leaders that hostile memory holds up; what is still stuck then keeps its memory. */
void emul_server_free(struct emul_server *s)
{
	struct timespec until;
	uint64_t one = 1;
	bool done;

	if (!s)
		return;
	atomic_store(&s->stopping, true);
	sem_post(&s->watch);
	if (!pthread_equal(s->watcher, pthread_self()))
		pthread_join(s->watcher, NULL);
	while (write(s->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_mutex_lock(&s->lock);
	while (s->nworkers && !pthread_cond_timedwait(&s->idle, &s->lock, &until))
		;
	done = !s->nworkers;
	while (done && s->nlisteners)
		listener_remove(s, s->listeners[0]);
	pthread_mutex_unlock(&s->lock);
	if (!done)
		return;
	close(s->wake);
	sem_destroy(&s->watch);
	pthread_cond_destroy(&s->idle);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
