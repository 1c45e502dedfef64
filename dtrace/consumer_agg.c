/* The consumer's aggregations: a hash from (aggregation, key) to data into which the tables of all sessions are merged, and
 * the order in which entries are shown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/consumer_impl.h"
#include "dtrace/format.h"

int agg_store_init(struct agg_store *s, const struct dvm_agg *desc, struct dt_aggmeta *meta, uint32_t naggs)
{
	memset(s, 0, sizeof(*s));
	s->desc = desc;
	s->meta = meta;
	s->naggs = naggs;
	s->nbuckets = 1024;
	s->bucket = calloc(s->nbuckets, sizeof(*s->bucket));
	s->printed = calloc(naggs + 1, sizeof(*s->printed));
	return s->bucket && s->printed ? 0 : -ENOMEM;
}

void agg_store_fini(struct agg_store *s)
{
	for (size_t i = 0; s->bucket && i < s->nbuckets; i++) {
		struct agg_entry *e, *next;

		for (e = s->bucket[i]; e; e = next) {
			next = e->next;
			free(e);
		}
	}
	free(s->bucket);
	free(s->printed);
	memset(s, 0, sizeof(*s));
}

static uint32_t hash_bytes(uint32_t h, const uint8_t *p, size_t n)
{
	while (n--)
		h = (h ^ *p++) * 16777619u;
	return h ^ h >> 15;
}

static void grow(struct agg_store *s)
{
	size_t n = s->nbuckets * 4;
	struct agg_entry **b = calloc(n, sizeof(*b));

	if (!b)
		return; /* longer chains */
	for (size_t i = 0; i < s->nbuckets; i++) {
		struct agg_entry *e, *next;

		for (e = s->bucket[i]; e; e = next) {
			next = e->next;
			e->next = b[e->hash & (n - 1)];
			b[e->hash & (n - 1)] = e;
		}
	}
	free(s->bucket);
	s->bucket = b;
	s->nbuckets = n;
}

static void add_data(const struct dvm_agg *d, uint64_t *to, const uint64_t *from, uint32_t n)
{
	unsigned __int128 a, b;

	switch (d->func) {
	case DVM_AGG_MIN:
		if ((int64_t)from[0] < (int64_t)to[0])
			to[0] = from[0];
		break;
	case DVM_AGG_MAX:
		if ((int64_t)from[0] > (int64_t)to[0])
			to[0] = from[0];
		break;
	case DVM_AGG_STDDEV:
		a = (unsigned __int128)to[3] << 64 | to[2];
		b = (unsigned __int128)from[3] << 64 | from[2];
		a += b;
		to[0] += from[0];
		to[1] += from[1];
		to[2] = (uint64_t)a;
		to[3] = (uint64_t)(a >> 64);
		break;
	default:
		for (uint32_t i = 0; i < n; i++)
			to[i] += from[i];
	}
}

void agg_store_merge(struct agg_store *s, const struct dvm_aggent *ent)
{
	struct agg_entry *e, *fresh;
	uint32_t ndata;

	if (ent->agg >= s->naggs)
		return;
	ndata = s->desc[ent->agg].ndata;
	/* Copied before anything looks at it: others can write to the arena. */
	fresh = malloc(sizeof(*fresh) + ((ent->keylen + 7) & ~7u) + ndata * 8);
	if (!fresh) {
		s->lost++;
		return;
	}
	fresh->agg = ent->agg;
	fresh->keylen = ent->keylen;
	fresh->cleared = false;
	fresh->data = (uint64_t *)(void *)(fresh->key + ((ent->keylen + 7) & ~7u));
	memcpy(fresh->key, ent->key, ent->keylen);
	memcpy(fresh->data, ent->data, ndata * 8);
	fresh->hash = hash_bytes(2166136261u + ent->agg, fresh->key, ent->keylen);
	for (e = s->bucket[fresh->hash & (s->nbuckets - 1)]; e; e = e->next) {
		if (e->hash != fresh->hash || e->agg != fresh->agg || e->keylen != fresh->keylen ||
		    memcmp(e->key, fresh->key, e->keylen))
			continue;
		if (e->cleared)
			memcpy(e->data, fresh->data, ndata * 8);
		else
			add_data(&s->desc[e->agg], e->data, fresh->data, ndata);
		e->cleared = false;
		free(fresh);
		return;
	}
	fresh->next = s->bucket[fresh->hash & (s->nbuckets - 1)];
	s->bucket[fresh->hash & (s->nbuckets - 1)] = fresh;
	if (++s->n > s->nbuckets * 2)
		grow(s);
}

void agg_store_clear(struct agg_store *s, uint32_t agg)
{
	for (size_t i = 0; i < s->nbuckets; i++) {
		for (struct agg_entry *e = s->bucket[i]; e; e = e->next) {
			if (e->agg != agg)
				continue;
			memset(e->data, 0, s->desc[agg].ndata * 8);
			e->cleared = true;
		}
	}
}

/* ---- Order ---- */

/* How qsort_r() compares. */
struct order {
	const struct agg_store *s;
	bool by_key, reverse;
	unsigned keypos;
	uint32_t nagg; /* of joined rows */
};

static int cmp_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int cmp_value(const struct agg_store *s, const struct agg_entry *l, const struct agg_entry *r)
{
	const struct dvm_agg *d = &s->desc[l->agg];
	struct dt_aggval a = { d, l->data, 1 }, b = { d, r->data, 1 };

	if (dt_agg_is_hist(d)) {
		int64_t lz, rz;
		long double ls = dt_hist_sum(d, l->data, &lz), rs = dt_hist_sum(d, r->data, &rz);

		return ls < rs ? -1 : ls > rs ? 1 : cmp_i64(lz, rz);
	}
	if (d->func == DVM_AGG_AVG && l->data[0] && r->data[0]) {
		double la = (double)(int64_t)l->data[1] / (double)(int64_t)l->data[0],
		       ra = (double)(int64_t)r->data[1] / (double)(int64_t)r->data[0];

		return la < ra ? -1 : la > ra;
	}
	return cmp_i64(dt_agg_scalar(&a), dt_agg_scalar(&b));
}

/* The items of a key as data of their types; returns how many there are, at most max. */
static unsigned key_data(const struct agg_store *s, const struct agg_entry *e, struct dt_datum *d, unsigned max)
{
	const struct dt_aggmeta *m = &s->meta[e->agg];
	size_t pos = 0;
	unsigned n = 0;

	for (; n < m->nkey && n < max; n++) {
		d[n].v = &m->key[n];
		d[n].it = dvm_item_next(e->key, e->keylen, &pos);
	}
	return n;
}

static int cmp_datum(const struct dt_datum *l, const struct dt_datum *r)
{
	size_t ln, rn;
	const char *ls, *rs;
	int c;

	if (l->v->kind == DT_VAL_INT) {
		int64_t a = dt_datum_int(l), b = dt_datum_int(r);

		if (!l->v->is_signed)
			return (uint64_t)a < (uint64_t)b ? -1 : (uint64_t)a > (uint64_t)b;
		return cmp_i64(a, b);
	}
	if (l->v->kind == DT_VAL_USTACK) {
		ls = l->it ? (const char *)(l->it + 1) : "", ln = l->it ? l->it->len : 0;
		rs = r->it ? (const char *)(r->it + 1) : "", rn = r->it ? r->it->len : 0;
	} else {
		ls = dt_datum_bytes(l, &ln);
		rs = dt_datum_bytes(r, &rn);
	}
	c = memcmp(ls, rs, ln < rn ? ln : rn);
	return c ? c : ln < rn ? -1 : ln > rn;
}

static int cmp_key(const struct order *o, const struct agg_entry *l, const struct agg_entry *r)
{
	struct dt_datum ld[DVM_MAXKEYS], rd[DVM_MAXKEYS];
	unsigned n = key_data(o->s, l, ld, DVM_MAXKEYS), m = key_data(o->s, r, rd, DVM_MAXKEYS);

	for (unsigned i = 0; i < n && i < m; i++) {
		unsigned k = (i + o->keypos) % n;
		int c = k < m ? cmp_datum(&ld[k], &rd[k]) : 0;

		if (c)
			return c;
	}
	return 0;
}

static int cmp_entries(const void *lp, const void *rp, void *arg)
{
	const struct agg_entry *l = *(struct agg_entry *const *)lp, *r = *(struct agg_entry *const *)rp;
	const struct order *o = arg;
	int c;

	if (l->agg != r->agg)
		return l->agg < r->agg ? -1 : 1;
	c = o->by_key ? cmp_key(o, l, r) : cmp_value(o->s, l, r);
	if (!c)
		c = o->by_key ? cmp_value(o->s, l, r) : cmp_key(o, l, r);
	return o->reverse ? -c : c;
}

static struct order order_of(const struct agg_store *s, const struct dt_opts *o)
{
	return (struct order){
		.s = s,
		.by_key = o->val[DT_OPT_AGGSORTKEY],
		.reverse = o->val[DT_OPT_AGGSORTREV],
		.keypos = (unsigned)(o->val[DT_OPT_AGGSORTKEYPOS] % DVM_MAXKEYS),
	};
}

/* All entries of an aggregation (UINT32_MAX: of all that printa() has not shown), sorted. NULL if there are none. */
static struct agg_entry **collect(struct agg_store *s, uint32_t agg, struct order *o, size_t *n)
{
	struct agg_entry **v = malloc((s->n + 1) * sizeof(struct agg_entry *));

	*n = 0;
	if (!v)
		return NULL;
	for (size_t i = 0; i < s->nbuckets; i++) {
		for (struct agg_entry *e = s->bucket[i]; e; e = e->next) {
			if (agg == UINT32_MAX ? !s->printed[e->agg] : e->agg == agg)
				v[(*n)++] = e;
		}
	}
	qsort_r(v, *n, sizeof(struct agg_entry *), cmp_entries, o);
	return v;
}

static void remove_entry(struct agg_store *s, struct agg_entry *e)
{
	struct agg_entry **p = &s->bucket[e->hash & (s->nbuckets - 1)];

	while (*p && *p != e)
		p = &(*p)->next;
	if (*p)
		*p = e->next;
	s->n--;
	free(e);
}

void agg_store_trunc(struct agg_store *s, uint32_t agg, int64_t keep)
{
	struct order o = { .s = s, .reverse = keep >= 0 };
	uint64_t k = keep < 0 ? 0 - (uint64_t)keep : (uint64_t)keep;
	struct agg_entry **v;
	size_t n;

	v = collect(s, agg, &o, &n);
	for (size_t i = 0; v && i < n; i++) {
		if (i >= k)
			remove_entry(s, v[i]);
	}
	free(v);
}

/* ---- Printing ---- */

static struct dt_aggval value_of(const struct agg_store *s, const struct agg_entry *e)
{
	return (struct dt_aggval){ &s->desc[e->agg], e->data, s->meta[e->agg].normal };
}

static void print_default(struct dt_print *p, const struct dt_datum *key, unsigned nkey, const struct dt_aggval *val, uint32_t nval)
{
	for (unsigned i = 0; i < nkey; i++)
		dt_print_key(p, &key[i]);
	for (uint32_t i = 0; i < nval; i++)
		dt_print_aggval(p, &val[i]);
	putc('\n', p->out);
}

static void print_one(struct agg_store *s, struct dt_print *p, const struct dt_fmt *fmt, const struct agg_entry *e)
{
	struct dt_datum key[DVM_MAXKEYS];
	unsigned nkey = key_data(s, e, key, DVM_MAXKEYS);
	struct dt_aggval val = value_of(s, e);

	if (fmt)
		dt_fmt_print(p, fmt, key, nkey, &val, 1);
	else
		print_default(p, key, nkey, &val, 1);
}

/* One row of a printa() of several aggregations: the entries of one key, NULL where an aggregation has none. */
struct row {
	struct agg_entry *rep;  /* one that exists: it has the key */
	struct agg_entry **e;   /* nagg of them */
};

struct join {
	struct order o;
	uint32_t nagg, first; /* first: whose values sort first */
	const struct dvm_agg *const *desc;
	struct agg_entry *zero; /* an entry of zeroes, wide enough for all */
};

static int cmp_rows(const void *lp, const void *rp, void *arg)
{
	const struct row *l = lp, *r = rp;
	const struct join *j = arg;
	int c = 0, k = cmp_key(&j->o, l->rep, r->rep);

	if (j->o.by_key && k)
		return j->o.reverse ? -k : k;
	for (uint32_t i = 0; i < j->nagg && !c; i++) {
		uint32_t a = (i + j->first) % j->nagg;
		struct agg_entry *le = l->e[a], *re = r->e[a];

		if (!le && !re)
			continue;
		if (!le || !re)
			j->zero->agg = le ? le->agg : re->agg;
		c = cmp_value(j->o.s, le ? le : j->zero, re ? re : j->zero);
	}
	if (!c)
		c = k;
	return j->o.reverse ? -c : c;
}

static size_t join_rows(struct agg_store *s, const uint32_t *agg, uint32_t nagg, struct row *rows, struct agg_entry **slots)
{
	size_t n = 0;

	for (size_t b = 0; b < s->nbuckets; b++) {
		for (struct agg_entry *e = s->bucket[b]; e; e = e->next) {
			for (uint32_t a = 0; a < nagg; a++) {
				if (e->agg != agg[a])
					continue;
				rows[n].rep = e;
				rows[n].e = slots + n * nagg;
				rows[n].e[a] = e;
				n++;
				break;
			}
		}
	}
	return n;
}

static int cmp_rows_key(const void *lp, const void *rp, void *arg)
{
	const struct row *l = lp, *r = rp;
	const struct order *o = arg;

	return cmp_key(o, l->rep, r->rep);
}

/* Brings rows of equal keys together; returns how many remain. */
static size_t fold_rows(struct row *rows, size_t n, uint32_t nagg, struct order *o)
{
	size_t to = 0;

	qsort_r(rows, n, sizeof(*rows), cmp_rows_key, o);
	for (size_t i = 1; i < n; i++) {
		if (cmp_key(o, rows[to].rep, rows[i].rep)) {
			rows[++to] = rows[i];
			continue;
		}
		for (uint32_t a = 0; a < nagg; a++) {
			if (rows[i].e[a])
				rows[to].e[a] = rows[i].e[a];
		}
	}
	return n ? to + 1 : 0;
}

static void print_joined(struct agg_store *s, struct dt_print *p, const struct dt_opts *opts, const struct dt_fmt *fmt,
			 const uint32_t *agg, uint32_t nagg)
{
	struct join j = { .o = order_of(s, opts), .nagg = nagg, .first = (uint32_t)(opts->val[DT_OPT_AGGSORTPOS] % nagg) };
	struct row *rows = calloc(s->n + 1, sizeof(*rows));
	struct agg_entry **slots = calloc((s->n + 1) * nagg, sizeof(struct agg_entry *));
	struct dt_aggval *val = calloc(nagg, sizeof(*val));
	uint32_t words = 1;
	size_t n;

	for (uint32_t a = 0; a < nagg; a++)
		words = s->desc[agg[a]].ndata > words ? s->desc[agg[a]].ndata : words;
	j.zero = calloc(1, sizeof(*j.zero) + words * 8);
	if (rows && slots && val && j.zero) {
		j.zero->data = (uint64_t *)(void *)j.zero->key;
		n = join_rows(s, agg, nagg, rows, slots);
		n = fold_rows(rows, n, nagg, &j.o);
		qsort_r(rows, n, sizeof(*rows), cmp_rows, &j);
		for (size_t i = 0; i < n; i++) {
			struct dt_datum key[DVM_MAXKEYS];
			unsigned nkey = key_data(s, rows[i].rep, key, DVM_MAXKEYS);

			for (uint32_t a = 0; a < nagg; a++) {
				val[a].desc = &s->desc[agg[a]];
				val[a].data = rows[i].e[a] ? rows[i].e[a]->data : j.zero->data;
				val[a].normal = s->meta[agg[a]].normal;
			}
			if (fmt)
				dt_fmt_print(p, fmt, key, nkey, val, nagg);
			else
				print_default(p, key, nkey, val, nagg);
		}
		for (uint32_t a = 0; n && a < nagg; a++)
			s->printed[agg[a]] = true;
	}
	free(j.zero);
	free(val);
	free(slots);
	free(rows);
}

void agg_printa(struct agg_store *s, struct dt_print *p, const struct dt_opts *opts, const struct dt_fmt *fmt, const uint32_t *agg,
		uint32_t nagg)
{
	struct order o = order_of(s, opts);
	struct agg_entry **v;
	size_t n;

	for (uint32_t a = 0; a < nagg; a++) {
		if (agg[a] >= s->naggs)
			return;
	}
	if (!fmt)
		putc('\n', p->out);
	if (nagg > 1) {
		print_joined(s, p, opts, fmt, agg, nagg);
		return;
	}
	if (!nagg || !(v = collect(s, agg[0], &o, &n)))
		return;
	for (size_t i = 0; i < n; i++)
		print_one(s, p, fmt, v[i]);
	if (n)
		s->printed[agg[0]] = true;
	free(v);
}

void agg_print_rest(struct agg_store *s, struct dt_print *p, const struct dt_opts *opts)
{
	struct order o = order_of(s, opts);
	size_t n;
	struct agg_entry **v = collect(s, UINT32_MAX, &o, &n);

	for (size_t i = 0; v && i < n; i++)
		print_one(s, p, NULL, v[i]);
	free(v);
}
