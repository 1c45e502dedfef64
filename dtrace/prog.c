/* Programs: sources go in one after the other, the image comes out. */
#include "dtrace/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/mem_impl.h"

#define DT_MAXLOCALS (64 << 20)

struct dt_prog *dt_prog_new(struct dt_probes *ps, struct dt_opts *opts)
{
	struct dt_prog *p = calloc(1, sizeof(*p));

	if (p) {
		p->ps = ps;
		p->opts = opts;
	}
	return p;
}

void dt_prog_free(struct dt_prog *p)
{
	struct dt_vec *const vecs[] = {
		&p->insns, &p->consts,	&p->strtab,  &p->clauses, &p->meta,
		&p->vars,  &p->dvmaggs, &p->aggmeta, &p->enabs,	  &p->fmts,
	};
	uint32_t i;

	if (!p)
		return;
	for (i = 0; i < p->fmts.n; i++)
		dt_fmt_free(((struct dt_fmt **)p->fmts.v)[i]);
	for (i = 0; i < sizeof(vecs) / sizeof(*vecs); i++)
		free(vecs[i]->v);
	dt_chunks_free(p->chunks);
	free(p);
}

static void compile(struct dt_cc *c)
{
	if (!c->p->ready) {
		dt_types_init(c);
		dt_idents_init(c);
		dt_prelude(c);
		c->p->ready = true;
	}
	c->argused = dt_alloc(c, (size_t)(c->src->argc > 0 ? c->src->argc : 0) + 1);
	dt_parse(c);
}

int dt_compile(struct dt_prog *p, const struct dt_source *src, struct dt_matched *m, struct err *e)
{
	struct err own = { 0 };
	struct dt_cc *c = calloc(1, sizeof(*c));
	int r = 0;

	if (!c)
		return err_set(e, ENOMEM, "compiler");
	c->p = p;
	c->src = src;
	c->e = e ? e : &own;
	c->pos = src->text;
	c->line = 1;
	c->bol = true;
	if (!setjmp(c->jb))
		compile(c);
	else
		r = -EINVAL;
	if (m)
		m->probes = c->matched;
	free(c->probes.v);
	free(c->acts.v);
	free(c->parsed.v);
	free(c);
	return r;
}

/* ---- The image ---- */

static int by_probe(const void *a, const void *b)
{
	const struct dt_enab *x = a, *y = b;

	if (x->probe->id != y->probe->id)
		return x->probe->id < y->probe->id ? -1 : 1;
	return x->clause < y->clause ? -1 : x->clause > y->clause;
}

static uint32_t place_locals(struct dt_cc *c)
{
	struct dt_prog *p = c->p;
	struct dvm_var *v = p->vars.v;
	uint64_t at = 0;
	uint32_t i;

	for (i = 0; i < p->vars.n; i++, v++) {
		if (v->scope != DVM_LOCAL)
			continue;
		v->local_off = (uint32_t)at;
		at += v->kind == DVM_V_INT
			      ? 8
			      : ((v->kind == DVM_V_STRING ? dt_strsize(c) : v->size) + 7) & ~7u;
		if (at > DT_MAXLOCALS)
			dt_fail(c, 0, D_ID_OFLOW, "clause-local variables need more than %d MiB",
				DT_MAXLOCALS >> 20);
	}
	return (uint32_t)at;
}

static size_t room(size_t *at, size_t bytes)
{
	size_t r = *at;

	*at = (*at + bytes + 7) & ~(size_t)7;
	return r;
}

static void put(char *img, struct dvm_sect *s, size_t off, const void *src, uint32_t n, size_t elem)
{
	s->off = (uint32_t)off;
	s->count = n;
	if (n)
		memcpy(img + off, src, n * elem);
}

static uint32_t str(struct dt_cc *c, const char *s)
{
	return dt_strtab(c, s, strlen(s));
}

/* The enabled probes in the order of their ids, each with its run of clauses. */
static void build_probes(struct dt_cc *c, struct dt_vec *probes, struct dt_vec *runs)
{
	struct dt_enab *e = c->p->enabs.v;
	const struct dt_probe *last = NULL;
	uint32_t i;

	if (c->p->enabs.n)
		qsort(e, c->p->enabs.n, sizeof(*e), by_probe);
	for (i = 0; i < c->p->enabs.n; i++) {
		const struct dt_probe *p = e[i].probe;

		if (p != last) {
			struct dvm_probe d = {
				.id = p->id,
				.kind = p->kind,
				.abi = p->abi,
				.row = p->row,
				.period_ns = p->period_ns,
				.prov = str(c, p->prov),
				.mod = str(c, p->mod),
				.func = str(c, p->func),
				.name = str(c, p->name),
				.enabling = i,
			};

			*(struct dvm_probe *)dt_push(c, probes, sizeof(d), 1) = d;
			last = p;
		}
		((struct dvm_probe *)probes->v)[probes->n - 1].nenabling++;
		*(uint32_t *)dt_push(c, runs, sizeof(uint32_t), 1) = e[i].clause;
	}
}

static struct dvm_image *build(struct dt_cc *c, struct dt_vec *probes, struct dt_vec *runs, size_t *len)
{
	struct dt_prog *p = c->p;
	struct dvm_image h = {
		.magic = DVM_MAGIC, .version = DVM_VERSION, .local_size = place_locals(c)};
	size_t at = sizeof(h), o[8];
	char *img;

	build_probes(c, probes, runs);
	if (!p->strtab.n)
		dt_push(c, &p->strtab, 1, 1);
	at = (at + 7) & ~(size_t)7;
	o[0] = room(&at, p->insns.n * sizeof(struct dvm_insn));
	o[1] = room(&at, p->consts.n * sizeof(uint64_t));
	o[2] = room(&at, p->strtab.n);
	o[3] = room(&at, p->clauses.n * sizeof(struct dvm_clause));
	o[4] = room(&at, p->vars.n * sizeof(struct dvm_var));
	o[5] = room(&at, p->dvmaggs.n * sizeof(struct dvm_agg));
	o[6] = room(&at, probes->n * sizeof(struct dvm_probe));
	o[7] = room(&at, runs->n * sizeof(uint32_t));
	if (at > UINT32_MAX || !(img = calloc(1, at)))
		dt_fail(c, 0, D_UNKNOWN, "out of memory");
	put(img, &h.insns, o[0], p->insns.v, p->insns.n, sizeof(struct dvm_insn));
	put(img, &h.consts, o[1], p->consts.v, p->consts.n, sizeof(uint64_t));
	put(img, &h.strtab, o[2], p->strtab.v, p->strtab.n, 1);
	put(img, &h.clauses, o[3], p->clauses.v, p->clauses.n, sizeof(struct dvm_clause));
	put(img, &h.vars, o[4], p->vars.v, p->vars.n, sizeof(struct dvm_var));
	put(img, &h.aggs, o[5], p->dvmaggs.v, p->dvmaggs.n, sizeof(struct dvm_agg));
	put(img, &h.probes, o[6], probes->v, probes->n, sizeof(struct dvm_probe));
	put(img, &h.enablings, o[7], runs->v, runs->n, sizeof(uint32_t));
	h.size = (uint32_t)at;
	memcpy(img, &h, sizeof(h));
	*len = at;
	return (struct dvm_image *)(void *)img;
}

int dt_prog_image(struct dt_prog *p, struct dvm_image **img, size_t *len, struct err *e)
{
	struct dt_vec *vecs = calloc(2, sizeof(*vecs)); /* survives the longjmp */
	struct dt_cc *c = calloc(1, sizeof(*c));
	struct err own = { 0 };
	int r = 0;

	if (!c || !vecs) {
		free(c);
		free(vecs);
		return err_set(e, ENOMEM, "D program");
	}
	c->p = p;
	c->e = e ? e : &own;
	if (!setjmp(c->jb))
		*img = build(c, &vecs[0], &vecs[1], len);
	else
		r = -ENOMEM;
	free(vecs[0].v);
	free(vecs[1].v);
	free(vecs);
	free(c);
	return r;
}

const struct dt_clausemeta *dt_prog_clauses(const struct dt_prog *p, uint32_t *n)
{
	*n = p->meta.n;
	return p->meta.v;
}

struct dt_aggmeta *dt_prog_aggs(struct dt_prog *p, uint32_t *n)
{
	*n = p->aggmeta.n;
	return p->aggmeta.v;
}

bool dt_prog_destructive(const struct dt_prog *p)
{
	return p->destructive;
}
