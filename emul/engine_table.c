/* The engine's tables: processes and threads by id. A thread belongs to one process and goes when the kernel says so (its
 * exit is reported, or it is detached); a process goes with its last thread. */
#include "emul/engine_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/host/cleanup.h"

#define NPROCS (sizeof(((struct eng *)0)->procs) / sizeof(struct eng_proc *))

struct eng_proc *eng_proc_find(struct eng *e, pid_t tgid)
{
	struct eng_proc *p = e->procs[(unsigned)tgid % NPROCS];

	while (p && p->tgid != tgid)
		p = p->next;
	return p;
}

struct eng_proc *eng_proc_get(struct eng *e, pid_t tgid)
{
	struct eng_proc *p = eng_proc_find(e, tgid);
	struct eng_proc **head = &e->procs[(unsigned)tgid % NPROCS];

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->tgid = tgid;
	p->next = *head;
	*head = p;
	return p;
}

static void proc_del(struct eng *e, struct eng_proc *p)
{
	struct eng_proc **pp = &e->procs[(unsigned)p->tgid % NPROCS];

	while (*pp != p)
		pp = &(*pp)->next;
	*pp = p->next;
	free(p);
}

struct eng_thread *eng_thread_find(struct eng *e, pid_t tid)
{
	struct eng_thread *t = e->nbucket ? e->thread[(unsigned)tid % e->nbucket] : NULL;

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

/* Keeps chains short; if there is no memory they just get longer. */
static void table_grow(struct eng *e)
{
	unsigned n = e->nbucket ? e->nbucket * 2 : 1024;
	struct eng_thread **table, *t, *next;

	if (e->nthread < e->nbucket)
		return;
	table = calloc(n, sizeof(struct eng_thread *));
	if (!table)
		return;
	for (unsigned i = 0; i < e->nbucket; i++) {
		for (t = e->thread[i]; t; t = next) {
			next = t->next;
			t->next = table[(unsigned)t->tid % n];
			table[(unsigned)t->tid % n] = t;
		}
	}
	free(e->thread);
	e->thread = table;
	e->nbucket = n;
}

static void list_add(struct eng_thread **head, struct eng_thread *t)
{
	t->sibling = *head;
	t->psibling = head;
	if (t->sibling)
		t->sibling->psibling = &t->sibling;
	*head = t;
}

static void list_del(struct eng_thread *t)
{
	*t->psibling = t->sibling;
	if (t->sibling)
		t->sibling->psibling = t->psibling;
}

/* p == NULL: an orphan. */
struct eng_thread *eng_thread_new(struct eng *e, struct eng_proc *p, pid_t tid)
{
	struct eng_thread *t, **head;

	table_grow(e);
	t = e->nbucket ? calloc(1, sizeof(*t)) : NULL;
	if (!t)
		return NULL;
	t->tid = tid;
	t->gen = ++e->gens;
	t->proc = p;
	t->row = -1;
	t->schedstat = -1;
	head = &e->thread[(unsigned)tid % e->nbucket];
	t->next = *head;
	*head = t;
	list_add(p ? &p->threads : &e->orphans, t);
	if (p)
		p->nthread++;
	e->nthread++;
	return t;
}

void eng_schedstat_close(struct eng *e, struct eng_thread *t)
{
	if (t->schedstat < 0)
		return;
	close(t->schedstat);
	t->schedstat = -1;
	e->nschedstat--;
}

void eng_thread_del(struct eng *e, struct eng_thread *t)
{
	struct eng_thread **pp = &e->thread[(unsigned)t->tid % e->nbucket];

	while (*pp != t)
		pp = &(*pp)->next;
	*pp = t->next;
	list_del(t);
	if (t->proc) {
		eng_unpark(e, t);
		t->proc->nthread--;
		if (!t->proc->threads)
			proc_del(e, t->proc);
	}
	eng_schedstat_close(e, t);
	free(t);
	e->nthread--;
}

void eng_thread_move(struct eng *e, struct eng_thread *t, struct eng_proc *p)
{
	struct eng_proc *old = t->proc;

	list_del(t);
	t->proc = p;
	list_add(p ? &p->threads : &e->orphans, t);
	if (p)
		p->nthread++;
	if (old && !--old->nthread)
		proc_del(e, old);
}
