/* Aggregations: two tables in the arena, of which probes write one while the consumer reads the other. A table is an
 * open-addressed array of slots and an area that only grows, of entries: a slot holds tag, generation and place of one; slots
 * of another generation are empty, so a table is emptied by counting its generation on. An entry is complete before a
 * compare-and-swap puts it into its slot, and never moves; its data are changed by atomic operations only. */
#include "dvm/dvm_impl.h"

#define MAX_PROBES 256u /* slots that one search looks at */

/* Entry: this header, the key's items, ndata words. */
struct agg_entry {
	uint64_t hash;
	uint32_t agg, keylen;
};

/* Slot: tag (16 bits of hash), generation (16), place in 8-byte units (32). */
static inline uint64_t slot_make(uint64_t hash, uint32_t gen, uint64_t off)
{
	return hash >> 48 << 48 | (uint64_t)(gen & 0xffff) << 32 | off / 8;
}

static inline bool slot_live(uint64_t w, uint32_t gen)
{
	return (uint16_t)(w >> 32) == (uint16_t)gen;
}

static inline shared_u64 *table_slots(const struct dvm *m, unsigned t)
{
	return (shared_u64 *)(m->arena + m->l.agg[t]);
}

static inline uint8_t *table_data(const struct dvm *m, unsigned t)
{
	return m->arena + m->l.agg[t] + (size_t)m->l.agg_slots * 8;
}

/* The entry that a slot names, if it lies in the table with all its words; *keylen is what was checked. */
static struct agg_entry *slot_entry(const struct dvm *m, unsigned t, uint64_t w, uint32_t *agg, uint32_t *keylen)
{
	const struct dvm_agg *aggs = img_at(m->img, m->img->aggs.off);
	uint64_t off = (uint64_t)(uint32_t)w * 8;
	struct agg_entry *e = (struct agg_entry *)(table_data(m, t) + off);

	if (off + sizeof(*e) > m->l.agg_data)
		return NULL;
	*agg = __atomic_load_n(&e->agg, __ATOMIC_RELAXED);
	*keylen = __atomic_load_n(&e->keylen, __ATOMIC_RELAXED);
	if (*agg >= m->img->aggs.count || (*keylen & 7))
		return NULL;
	if (off + sizeof(*e) + *keylen + (uint64_t)aggs[*agg].ndata * 8 > m->l.agg_data)
		return NULL;
	return e;
}

static shared_u64 *entry_data(struct agg_entry *e, uint32_t keylen)
{
	return (shared_u64 *)((uint8_t *)(e + 1) + keylen);
}

/* A new entry of the current tuple, not yet in a slot; NULL when the table is full. */
static struct agg_entry *entry_new(struct mach *s, unsigned t, uint32_t id, uint64_t hash)
{
	const struct dvm_agg *a = &s->aggs[id];
	uint64_t size = sizeof(struct agg_entry) + s->tup_len + (uint64_t)a->ndata * 8, cap = s->m->l.agg_data, off;
	struct agg_entry *e;
	shared_u64 *d;

	/* Looking first keeps the counter from growing on and on while the table is full. */
	if (size > cap || __atomic_load_n(&s->hdr->agg[t].used, __ATOMIC_RELAXED) > cap - size)
		return NULL;
	off = __atomic_fetch_add(&s->hdr->agg[t].used, size, __ATOMIC_RELAXED) & ~7ull;
	if (off > cap - size)
		return NULL;
	e = (struct agg_entry *)(table_data(s->m, t) + off);
	e->hash = hash;
	e->agg = id;
	e->keylen = s->tup_len;
	base_memcpy(e + 1, s->tup, s->tup_len);
	d = entry_data(e, s->tup_len);
	base_memset(d, 0, (size_t)a->ndata * 8);
	if (a->func == DVM_AGG_MIN)
		d[0] = INT64_MAX;
	else if (a->func == DVM_AGG_MAX)
		d[0] = (uint64_t)INT64_MIN;
	return e;
}

/* Data of the entry of aggregation id and the current tuple, made if need be; NULL, with a counted drop, without room. */
static shared_u64 *entry_get(struct mach *s, uint32_t id)
{
	const struct dvm *m = s->m;
	unsigned t = __atomic_load_n(&s->hdr->agg_active, __ATOMIC_ACQUIRE) & 1;
	uint32_t gen = __atomic_load_n(&s->hdr->agg[t].gen, __ATOMIC_RELAXED), mask = m->l.agg_slots - 1;
	shared_u64 *slots = table_slots(m, t);
	struct agg_entry *mine = NULL;
	uint64_t hash;

	if (!s->tup_hashed) {
		s->tup_hash = dvm_hash(0, s->tup, s->tup_len);
		s->tup_hashed = true;
	}
	hash = hash_end(hash_step(s->tup_hash, id + 1));
	for (uint32_t n = 0, i = (uint32_t)hash & mask; n < MAX_PROBES && n <= mask; n++, i = (i + 1) & mask) {
		uint64_t w = __atomic_load_n(&slots[i], __ATOMIC_ACQUIRE);
		uint32_t agg, keylen;
		struct agg_entry *e;

		if (!slot_live(w, gen)) {
			if (!mine && !(mine = entry_new(s, t, id, hash)))
				break;
			if (__atomic_compare_exchange_n(&slots[i], &w,
							slot_make(hash, gen, (uint64_t)((uint8_t *)mine - table_data(m, t))),
							false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return entry_data(mine, s->tup_len);
			if (!slot_live(w, gen))
				break; /* emptied meanwhile */
		}
		if (w >> 48 != hash >> 48)
			continue;
		e = slot_entry(m, t, w, &agg, &keylen);
		if (e && e->hash == hash && agg == id && keylen == s->tup_len && !base_memcmp(e + 1, s->tup, keylen))
			return entry_data(e, keylen);
	}
	dvm_drop(s->hdr, DROP_AGG);
	return NULL;
}

static inline void word_add(shared_u64 *p, uint64_t v)
{
	__atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

/* Tries are bounded because the word may be changed by somebody hostile, again and again. */
static void word_extreme(shared_u64 *p, int64_t v, bool max)
{
	uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED);

	for (int tries = 0; tries < 1024 && (max ? v > (int64_t)old : v < (int64_t)old); tries++)
		if (__atomic_compare_exchange_n(p, &old, (uint64_t)v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			break;
}

/* lo, hi += v * v, 128 bits. */
static void add_square(shared_u64 *d, int64_t v)
{
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v, a = u >> 32, b = (uint32_t)u, ab = a * b;
	uint64_t lo = b * b, hi = a * a + (ab >> 31), mid = ab << 33, old;

	lo += mid;
	hi += lo < mid;
	old = __atomic_fetch_add(&d[0], lo, __ATOMIC_RELAXED);
	hi += old + lo < old;
	if (hi)
		word_add(&d[1], hi);
}

void agg_take(struct mach *s, uint32_t id, uint64_t v, uint64_t incr)
{
	const struct dvm_agg *a = &s->aggs[id];
	shared_u64 *d = entry_get(s, id);

	if (!d)
		return;
	switch (a->func) {
	case DVM_AGG_COUNT:
		word_add(&d[0], 1);
		break;
	case DVM_AGG_SUM:
		word_add(&d[0], v);
		break;
	case DVM_AGG_MIN:
	case DVM_AGG_MAX:
		word_extreme(&d[0], (int64_t)v, a->func == DVM_AGG_MAX);
		break;
	case DVM_AGG_STDDEV:
		add_square(&d[2], (int64_t)v);
		/* fallthrough */
	case DVM_AGG_AVG:
		word_add(&d[0], 1);
		word_add(&d[1], v);
		break;
	default:
		word_add(&d[agg_bucket(a, (int64_t)v)], incr);
	}
}

unsigned dvm_agg_flip(struct dvm *m)
{
	struct arena_hdr *h = dvm_hdr(m);
	unsigned was = h->agg_active & 1, next = was ^ 1;
	uint32_t gen = (h->agg[next].gen + 1) & 0xffff;

	if (!gen) { /* come round: slots of old generations must go before theirs comes again */
		base_memset(table_slots(m, next), 0, (size_t)m->l.agg_slots * 8);
		gen = 1;
	}
	h->agg[next].used = 0;
	__atomic_store_n(&h->agg[next].gen, gen, __ATOMIC_RELEASE);
	__atomic_store_n(&h->agg_active, next, __ATOMIC_RELEASE);
	return was;
}

bool dvm_agg_next(const struct dvm *m, unsigned table, uint64_t *pos, struct dvm_aggent *out)
{
	unsigned t = table & 1;
	uint32_t gen = dvm_hdr(m)->agg[t].gen;
	struct agg_entry *e;

	for (; *pos < m->l.agg_slots; (*pos)++) {
		uint64_t w = __atomic_load_n(&table_slots(m, t)[*pos], __ATOMIC_ACQUIRE);

		if (!slot_live(w, gen))
			continue;
		e = slot_entry(m, t, w, &out->agg, &out->keylen);
		if (!e)
			continue;
		out->key = e + 1;
		out->data = entry_data(e, out->keylen);
		(*pos)++;
		return true;
	}
	return false;
}
