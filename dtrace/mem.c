/* Memory and tables of the D compiler: an arena that lives as long as the program, growing arrays, a map of names, and
 * the way out on errors. */
#include "dtrace/dt_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/mem_impl.h"

#define CHUNK (64u << 10)

struct dt_chunk {
	struct dt_chunk *next;
	size_t used, size;
	_Alignas(16) char data[];
};

struct dt_mapent {
	struct dt_mapent *next;
	const char *name;
	void *value;
	uint32_t hash;
};

void dt_chunks_free(struct dt_chunk *ch)
{
	while (ch) {
		struct dt_chunk *next = ch->next;

		free(ch);
		ch = next;
	}
}

void *dt_alloc(struct dt_cc *c, size_t n)
{
	struct dt_chunk *ch = c->p->chunks;
	void *r;

	n = (n + 15) & ~(size_t)15;
	if (!ch || ch->size - ch->used < n) {
		size_t size = n > CHUNK ? n : CHUNK;

		ch = calloc(1, sizeof(*ch) + size);
		if (!ch)
			dt_fail(c, c->line, D_UNKNOWN, "out of memory");
		ch->size = size;
		ch->next = c->p->chunks;
		c->p->chunks = ch;
	}
	r = ch->data + ch->used;
	ch->used += n;
	return r;
}

char *dt_strndup(struct dt_cc *c, const char *s, size_t n)
{
	char *r = dt_alloc(c, n + 1);

	memcpy(r, s, n);
	return r;
}

const char *dt_sprintf(struct dt_cc *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return dt_strndup(c, text, strlen(text));
}

void *dt_push(struct dt_cc *c, struct dt_vec *v, size_t elem, uint32_t n)
{
	char *r;

	if (v->cap - v->n < n) {
		uint64_t cap = v->cap ? (uint64_t)v->cap * 2 : 64;
		void *mem;

		while (cap - v->n < n)
			cap *= 2;
		if (cap > UINT32_MAX / 64 || !(mem = realloc(v->v, cap * elem)))
			dt_fail(c, c->line, D_UNKNOWN, "out of memory");
		v->v = mem;
		v->cap = (uint32_t)cap;
	}
	r = (char *)v->v + v->n * elem;
	memset(r, 0, n * elem);
	v->n += n;
	return r;
}

static uint32_t map_hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

void *dt_map_get(const struct dt_map *m, const char *name)
{
	uint32_t h = map_hash(name);
	struct dt_mapent *e;

	if (!m->nbucket)
		return NULL;
	for (e = m->bucket[h & (m->nbucket - 1)]; e; e = e->next)
		if (e->hash == h && !strcmp(e->name, name))
			return e->value;
	return NULL;
}

static void map_grow(struct dt_cc *c, struct dt_map *m)
{
	uint32_t n = m->nbucket ? m->nbucket * 2 : 64, i;
	struct dt_mapent **b = dt_alloc(c, n * sizeof(*b));

	for (i = 0; i < m->nbucket; i++) {
		struct dt_mapent *e = m->bucket[i];

		while (e) {
			struct dt_mapent *next = e->next;

			e->next = b[e->hash & (n - 1)];
			b[e->hash & (n - 1)] = e;
			e = next;
		}
	}
	m->bucket = b;
	m->nbucket = n;
}

void dt_map_put(struct dt_cc *c, struct dt_map *m, const char *name, void *value)
{
	uint32_t h = map_hash(name);
	struct dt_mapent *e;

	if (m->count >= m->nbucket)
		map_grow(c, m);
	e = dt_alloc(c, sizeof(*e));
	e->name = name;
	e->value = value;
	e->hash = h;
	e->next = m->bucket[h & (m->nbucket - 1)];
	m->bucket[h & (m->nbucket - 1)] = e;
	m->count++;
}

uint32_t dt_strtab(struct dt_cc *c, const char *s, size_t len)
{
	struct dt_vec *v = &c->p->strtab;
	bool plain = !memchr(s, 0, len); /* texts with a NUL inside are not shared */
	uintptr_t at;
	char *place;

	if (!v->n)
		dt_push(c, v, 1, 1);
	if (!len)
		return 0;
	if (plain && (at = (uintptr_t)dt_map_get(&c->p->strings, s)))
		return (uint32_t)(at - 1);
	at = v->n;
	place = dt_push(c, v, 1, (uint32_t)len + 1);
	memcpy(place, s, len);
	if (plain)
		dt_map_put(c, &c->p->strings, s, (void *)(at + 1));
	return (uint32_t)at;
}

const char *dt_errtag_name(enum dt_errtag tag)
{
	static const char *const names[] = {
#define DT_ERRTAG_NAME(name) #name,
		DT_ERRTAGS(DT_ERRTAG_NAME)
#undef DT_ERRTAG_NAME
	};

	return tag < DT_NERRTAGS ? names[tag] : "D_UNKNOWN";
}

/* Where a message belongs: a line of the script, or of a file that its preprocessor named; for text from the command line
 * also the part of its clause. */
static void locate(struct dt_cc *c, uint32_t line, char *buf, size_t cap)
{
	if (c->filetag)
		snprintf(buf, cap, "\"%s\", line %u", c->filetag, line);
	else if (c->src && !c->src->file && c->region)
		snprintf(buf, cap, "line %u: in %s", line, c->region);
	else
		snprintf(buf, cap, "line %u", line);
}

void dt_fail(struct dt_cc *c, uint32_t line, enum dt_errtag tag, const char *fmt, ...)
{
	char text[ERR_MAX - 300], where[288];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	locate(c, line, where, sizeof(where));
	err_msg(c->e, EINVAL, "%s: %s", where, text);
	snprintf(c->e->tag, sizeof(c->e->tag), "%s", dt_errtag_name(tag));
	longjmp(c->jb, 1);
}

void dt_fail_err(struct dt_cc *c, uint32_t line)
{
	char tag[sizeof(c->e->tag)], where[288];

	memcpy(tag, c->e->tag, sizeof(tag));
	locate(c, line, where, sizeof(where));
	err_wrap(c->e, "%s", where);
	memcpy(c->e->tag, tag, sizeof(tag));
	longjmp(c->jb, 1);
}
