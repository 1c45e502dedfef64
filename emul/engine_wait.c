/* Who has stopped. All that have are collected before any is set going again, so that busy threads cannot starve others.
 * waitpid(-1) looks at every traced thread in turn, which is fine for some dozens; with thousands it would cost more than
 * all the rest, so there SIGCHLD's word is taken for who stopped. Such signals merge, so now and then a scan looks for those
 * that one has swallowed: mostly for a fifth of the time, and a swallowed one waits for some milliseconds at most. */
#include "emul/engine_impl.h"

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCAN_ALWAYS 48 /* threads up to which a scan costs no more than what it would save */
#define SCAN_DELAY_NS 2000000u
#define SCAN_HITS   16 /* so many in one scan: asking every thread by its id is cheaper */

uint64_t eng_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void add(struct eng *e, struct eng_events *q, pid_t tid, int status)
{
	struct eng_thread *t = eng_thread_find(e, tid);

	for (unsigned i = 0; t && t->queued && i < q->n; i++) {
		if (q->ev[i].tid == tid) { /* another thread's exec has taken the id over since */
			q->ev[i].status = status;
			return;
		}
	}
	if (t)
		t->queued = true;
	q->ev[q->n].tid = tid;
	q->ev[q->n++].status = status;
}

/* tid: one thread, or -1 for any. */
static bool look(struct eng *e, struct eng_events *q, pid_t tid)
{
	int status;

	tid = waitpid(tid, &status, __WALL | WNOHANG);
	if (tid <= 0)
		return false;
	add(e, q, tid, status);
	return true;
}

static void take_hints(struct eng *e, struct eng_events *q)
{
	struct signalfd_siginfo si;

	if (e->hint > 0)
		look(e, q, e->hint);
	while (q->n < ENG_NEVENTS && read(e->sigfd, &si, sizeof(si)) == sizeof(si))
		look(e, q, (pid_t)si.ssi_pid);
}

static void ask_all(struct eng *e, struct eng_events *q)
{
	for (unsigned i = 0; i < e->nbucket && q->n < ENG_NEVENTS; i++) {
		unsigned b = (e->ask_from + i) % e->nbucket;

		for (struct eng_thread *t = e->thread[b]; t && q->n < ENG_NEVENTS; t = t->next)
			if (!t->queued)
				look(e, q, t->tid);
		if (q->n == ENG_NEVENTS)
			e->ask_from = b; /* go on here next time */
	}
}

bool eng_collect(struct eng *e, struct eng_events *q)
{
	uint64_t began, took;
	unsigned hits = 0;

	q->n = 0;
	if (e->nthread <= SCAN_ALWAYS) {
		e->scan_due = false;
		while (q->n < ENG_NEVENTS && look(e, q, -1))
			;
		return q->n == ENG_NEVENTS;
	}
	take_hints(e, q);
	e->hint = 0;
	began = eng_now();
	e->scan_due = began < e->next_scan;
	if (e->scan_due)
		return q->n == ENG_NEVENTS;
	while (q->n < ENG_NEVENTS && hits < SCAN_HITS && look(e, q, -1))
		hits++;
	if (hits == SCAN_HITS) {
		ask_all(e, q);
		return true;
	}
	took = eng_now() - began;
	e->next_scan = began + (took < SCAN_DELAY_NS / 5 ? 5 * took : SCAN_DELAY_NS); /* we may have been preempted */
	return q->n == ENG_NEVENTS;
}
