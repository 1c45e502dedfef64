/* The registry of probes: an array in id order and a hash on the function part, so that an exact description costs no walk
 * over all probes. Providers are asked for their fixed probes at the first use of a registry, and for probes made on demand
 * whenever a description is matched. */
#include "dtrace/probes.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/host/cleanup.h"
#include "dtrace/provider_impl.h"

static const struct dt_provider *const dt_providers[] = {
	&dt_provider_dtrace, /* first: its ids are fixed */
	&dt_provider_syscall,
	&dt_provider_profile,
};
#define DT_NPROVIDERS (sizeof(dt_providers) / sizeof(dt_providers[0]))

#define DT_NBUCKETS 4096 /* power of two */

struct node {
	struct dt_probe p;
	struct node *next; /* same bucket, ascending id */
	char text[];       /* the four names, each with its NUL */
};

struct dt_probes {
	struct node **all;
	unsigned n, cap;
	bool listed;
	struct node *bucket[DT_NBUCKETS], *tail[DT_NBUCKETS];
};

static unsigned hash_str(const char *s)
{
	unsigned h = 2166136261u;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return (h ^ h >> 16) & (DT_NBUCKETS - 1);
}

struct dt_probes *dt_probes_new(void)
{
	return calloc(1, sizeof(struct dt_probes));
}

void dt_probes_free(struct dt_probes *ps)
{
	if (!ps)
		return;
	for (unsigned i = 0; i < ps->n; i++)
		free(ps->all[i]);
	free(ps->all);
	free(ps);
}

const struct dt_probe *dt_probe_add(struct dt_probes *ps, const struct dt_probe *p)
{
	const char *part[4] = { p->prov, p->mod, p->func, p->name };
	size_t len[4], total = 0;
	struct node *nd;
	unsigned h;
	char *t;

	if (ps->n == ps->cap) {
		unsigned cap = ps->cap ? ps->cap * 2 : 1024;
		struct node **all = reallocarray(ps->all, cap, sizeof(*all));

		if (!all)
			return NULL;
		ps->all = all;
		ps->cap = cap;
	}
	for (int i = 0; i < 4; i++)
		total += len[i] = strlen(part[i]) + 1;
	nd = malloc(sizeof(*nd) + total);
	if (!nd)
		return NULL;
	t = nd->text;
	for (int i = 0; i < 4; i++) {
		memcpy(t, part[i], len[i]);
		part[i] = t;
		t += len[i];
	}
	nd->p = *p;
	nd->p.prov = part[0];
	nd->p.mod = part[1];
	nd->p.func = part[2];
	nd->p.name = part[3];
	nd->p.id = ps->n + 1;
	nd->next = NULL;
	ps->all[ps->n++] = nd;
	h = hash_str(nd->p.func);
	if (ps->tail[h])
		ps->tail[h]->next = nd;
	else
		ps->bucket[h] = nd;
	ps->tail[h] = nd;
	return &nd->p;
}

const struct dt_probe *dt_probe_find(struct dt_probes *ps, const char *prov, const char *mod, const char *func, const char *name)
{
	for (struct node *nd = ps->bucket[hash_str(func)]; nd; nd = nd->next) {
		if (!strcmp(nd->p.func, func) && !strcmp(nd->p.name, name) && !strcmp(nd->p.mod, mod) && !strcmp(nd->p.prov, prov))
			return &nd->p;
	}
	return NULL;
}

static int list_all(struct dt_probes *ps, struct err *e)
{
	if (ps->listed)
		return 0;
	ps->listed = true;
	for (size_t i = 0; i < DT_NPROVIDERS; i++) {
		int r = dt_providers[i]->list ? dt_providers[i]->list(ps, e) : 0;

		if (r < 0)
			return err_wrap(e, "provider %s", dt_providers[i]->name);
	}
	return 0;
}

const struct dt_probe *dt_probe_by_id(struct dt_probes *ps, uint32_t id)
{
	if (list_all(ps, NULL) < 0 || id == 0 || id > ps->n)
		return NULL;
	return &ps->all[id - 1]->p;
}

unsigned dt_probes_count(struct dt_probes *ps)
{
	list_all(ps, NULL);
	return ps->n;
}

static int parse_part(const char *s, size_t n, char *dst, size_t cap, const char *what, struct err *e)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (n >= cap) {
		err_msg(e, EINVAL, "probe description %s is too long", what);
		return -EINVAL;
	}
	memcpy(dst, s, n);
	dst[n] = '\0';
	return 0;
}

int dt_pdesc_parse(const char *text, struct dt_pdesc *d, struct err *e)
{
	struct { char *dst; size_t cap; const char *what; } part[4] = {
		{ d->prov, sizeof(d->prov), "provider" }, { d->mod, sizeof(d->mod), "module" },
		{ d->func, sizeof(d->func), "function" }, { d->name, sizeof(d->name), "name" },
	};
	const char *end = text + strlen(text);
	int i = 3, r = 0;

	memset(d, 0, sizeof(*d));
	while (text < end && isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (text < end && strspn(text, "0123456789") == (size_t)(end - text)) {
		unsigned long id = strtoul(text, NULL, 10);

		if (id == 0 || id > UINT32_MAX)
			r = err_msg(e, EINVAL, "invalid probe id %.*s", (int)(end - text), text);
		d->id = (uint32_t)id;
	} else {
		for (const char *p = end;; i--) { /* parts fill from the right */
			const char *colon = p > text ? memrchr(text, ':', p - text) : NULL;
			const char *from = colon ? colon + 1 : text;

			if (i < 0) {
				r = err_msg(e, EINVAL, "overspecified probe description: %.*s", (int)(end - text), text);
				break;
			}
			r = parse_part(from, p - from, part[i].dst, part[i].cap, part[i].what, e);
			if (r < 0 || !colon)
				break;
			p = colon;
		}
	}
	if (r < 0 && e)
		strcpy(e->tag, "D_PDESC_INVAL");
	return r;
}

bool dt_part_exact(const char *pattern)
{
	return !strpbrk(pattern, "*?[\\");
}

bool dt_part_match(const char *pattern, const char *name)
{
	if (!*pattern)
		return true;
	if (dt_part_exact(pattern))
		return !strcmp(pattern, name);
	return fnmatch(pattern, name, 0) == 0;
}

static bool probe_match(const struct dt_pdesc *d, const struct dt_probe *p)
{
	const struct dt_provider *pr = p->provider;

	return dt_part_match(d->func, p->func) && dt_part_match(d->name, p->name) &&
	       (dt_part_match(d->mod, p->mod) || (pr && pr->mod_alias && dt_part_match(d->mod, pr->mod_alias))) &&
	       (dt_part_match(d->prov, p->prov) || (pr && pr->alias && dt_part_match(d->prov, pr->alias)));
}

int dt_probes_match(struct dt_probes *ps, const struct dt_pdesc *d, int (*fn)(const struct dt_probe *p, void *arg), void *arg,
		    struct err *e)
{
	int count = 0, r = list_all(ps, e);

	if (r < 0)
		return r;
	if (d->id) {
		if (d->id > ps->n)
			return 0;
		r = fn ? fn(&ps->all[d->id - 1]->p, arg) : 0;
		return r < 0 ? r : 1;
	}
	for (size_t i = 0; i < DT_NPROVIDERS; i++) {
		r = dt_providers[i]->make ? dt_providers[i]->make(ps, d, e) : 0;
		if (r < 0)
			return err_wrap(e, "provider %s", dt_providers[i]->name);
	}
	if (*d->func && dt_part_exact(d->func)) {
		for (struct node *nd = ps->bucket[hash_str(d->func)]; nd; nd = nd->next) {
			if (!probe_match(d, &nd->p))
				continue;
			r = fn ? fn(&nd->p, arg) : 0;
			if (r < 0)
				return r;
			count++;
		}
		return count;
	}
	for (unsigned i = 0; i < ps->n; i++) {
		if (!probe_match(d, &ps->all[i]->p))
			continue;
		r = fn ? fn(&ps->all[i]->p, arg) : 0;
		if (r < 0)
			return r;
		count++;
	}
	return count;
}
