/* Variables: globals at fixed places in the arena, locals in the firing's own memory, and dynamic ones (self-> and
 * associative arrays) in chunks that a hash finds.
 *
 * The hash has buckets of eight slots, two candidate buckets a key, no chains: a search looks at sixteen words at most,
 * whatever another process wrote there. A slot is 0 or tag << 32 | chunk + 1; a chunk is filled before its slot is
 * set by compare-and-swap, and freed after its slot is cleared. The search for a free chunk starts at another bitmap
 * word each time, so that a chunk just freed is not soon used again under someone who still looks at it. Two threads that
 * insert one key at once both look again afterwards: the entry that comes first in search order stays. */
#include "dvm/dvm_impl.h"
#include "dvm/vars_impl.h"

#define MAX_BITMAP_SCAN 4096u

struct dyn_key {
	uint64_t hash;
	uint32_t var, tid, tgen;
	const void *key;
	uint32_t keylen;
};

static shared_u64 *bucket_at(const struct dvm *m, uint64_t hash, int second)
{
	uint32_t mask = m->l.nbuckets - 1, b = (uint32_t)hash & mask;

	if (second)
		b = (b ^ (1 + (uint32_t)(hash >> 24) % mask)) & mask;
	return (shared_u64 *)(m->arena + m->l.slots) + (size_t)b * DYN_WAYS;
}

static struct dyn_chunk *chunk_at(const struct dvm *m, uint32_t i)
{
	return (struct dyn_chunk *)(m->arena + m->l.chunks + (size_t)i * m->l.chunk);
}

static bool chunk_is(const struct dyn_chunk *c, const struct dyn_key *k)
{
	return c->hash == k->hash && c->var == k->var && c->tid == k->tid && c->tgen == k->tgen &&
	       c->keylen == k->keylen && (!k->keylen || !base_memcmp(c + 1, k->key, k->keylen));
}

/* The chunk that a slot's value names, if it is k's; its tag has been compared. */
static struct dyn_chunk *slot_match(const struct dvm *m, uint64_t w, const struct dyn_key *k)
{
	uint32_t i = (uint32_t)w - 1;
	struct dyn_chunk *c;

	if (i >= m->l.nchunks)
		return NULL;
	c = chunk_at(m, i);
	return chunk_is(c, k) ? c : NULL;
}

static struct dyn_chunk *dyn_find(const struct dvm *m, const struct dyn_key *k, shared_u64 **slot, uint64_t *word)
{
	uint32_t tag = (uint32_t)(k->hash >> 32);

	for (int second = 0; second < 2; second++) {
		shared_u64 *b = bucket_at(m, k->hash, second);

		for (unsigned i = 0; i < DYN_WAYS; i++) {
			uint64_t w = __atomic_load_n(&b[i], __ATOMIC_ACQUIRE);
			struct dyn_chunk *c;

			if ((uint32_t)(w >> 32) == tag && (c = slot_match(m, w, k))) {
				*slot = &b[i];
				*word = w;
				return c;
			}
		}
	}
	return NULL;
}

static void chunk_free(const struct dvm *m, uint32_t i)
{
	shared_u64 *bits = (shared_u64 *)(m->arena + m->l.bitmap);

	__atomic_fetch_and(&bits[i / 64], ~(1ull << i % 64), __ATOMIC_RELEASE);
}

/* A free chunk's index, or UINT32_MAX. */
static uint32_t chunk_alloc(const struct dvm *m)
{
	shared_u64 *bits = (shared_u64 *)(m->arena + m->l.bitmap);
	uint32_t n = m->l.nchunks, words = (n + 63) / 64, w, scan;

	if (!n)
		return UINT32_MAX;
	w = __atomic_fetch_add(&dvm_hdr(m)->dyn_cursor, 1, __ATOMIC_RELAXED) % words;
	for (scan = words < MAX_BITMAP_SCAN ? words : MAX_BITMAP_SCAN; scan; scan--, w = w + 1 < words ? w + 1 : 0) {
		uint64_t used = __atomic_load_n(&bits[w], __ATOMIC_RELAXED);

		for (int tries = 0; tries < 64 && ~used; tries++) {
			unsigned bit = (unsigned)__builtin_ctzll(~used);

			if (w * 64 + bit >= n)
				break;
			used = __atomic_fetch_or(&bits[w], 1ull << bit, __ATOMIC_ACQUIRE);
			if (!(used >> bit & 1))
				return w * 64 + bit;
		}
	}
	return UINT32_MAX;
}

static void dyn_remove(const struct dvm *m, shared_u64 *slot, uint64_t word)
{
	if (__atomic_compare_exchange_n(slot, &word, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		chunk_free(m, (uint32_t)word - 1);
}

/* Leaves one entry of k's key: the first in search order. Returns its chunk. */
static struct dyn_chunk *dyn_settle(const struct dvm *m, const struct dyn_key *k, struct dyn_chunk *mine)
{
	struct dyn_chunk *first = NULL;

	for (int second = 0; second < 2; second++) {
		shared_u64 *b = bucket_at(m, k->hash, second);

		for (unsigned i = 0; i < DYN_WAYS; i++) {
			uint64_t w = __atomic_load_n(&b[i], __ATOMIC_SEQ_CST);
			struct dyn_chunk *c = w >> 32 == k->hash >> 32 ? slot_match(m, w, k) : NULL;

			if (c && first)
				dyn_remove(m, &b[i], w);
			else if (c)
				first = c;
		}
	}
	return first ? first : mine;
}

/* Adds k with a value of zeroes. NULL, with a counted drop, when there is no room. */
static struct dyn_chunk *dyn_insert(struct mach *s, const struct dyn_key *k, uint32_t size)
{
	const struct dvm *m = s->m;
	struct dyn_chunk *c;
	uint32_t i;

	if ((uint64_t)DYN_HDR + k->keylen + size > m->l.chunk || (i = chunk_alloc(m)) == UINT32_MAX) {
		dvm_drop(s->hdr, DROP_DYNVAR);
		return NULL;
	}
	c = chunk_at(m, i);
	c->hash = k->hash;
	c->var = k->var;
	c->tid = k->tid;
	c->tgen = k->tgen;
	c->keylen = k->keylen;
	base_memcpy(c + 1, k->key, k->keylen);
	base_memset((uint8_t *)(c + 1) + k->keylen, 0, size);
	for (int second = 0; second < 2; second++) {
		shared_u64 *b = bucket_at(m, k->hash, second);

		for (unsigned j = 0; j < DYN_WAYS; j++) {
			uint64_t empty = 0, w = k->hash >> 32 << 32 | (i + 1);

			if (!__atomic_load_n(&b[j], __ATOMIC_RELAXED) &&
			    __atomic_compare_exchange_n(&b[j], &empty, w, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
				return k->tid ? c : dyn_settle(m, k, c);
		}
	}
	chunk_free(m, i);
	dvm_drop(s->hdr, DROP_DYNVAR);
	return NULL;
}

static void key_make(struct mach *s, uint32_t id, bool assoc, struct dyn_key *k)
{
	bool thread = s->vars[id].scope == DVM_THREAD;

	k->var = id;
	k->tid = thread ? (uint32_t)s->ev->tid : 0;
	k->tgen = thread ? s->ev->tgen : 0;
	k->key = s->tup;
	k->keylen = 0;
	k->hash = hash_step(hash_step(id + 1, k->tid), k->tgen);
	if (assoc) {
		k->keylen = s->tup_len;
		if (!s->tup_hashed) {
			s->tup_hash = dvm_hash(0, s->tup, s->tup_len);
			s->tup_hashed = true;
		}
		k->hash ^= s->tup_hash;
	}
	k->hash = hash_end(k->hash);
}

/* The value of a variable whose bytes are at p, machine address addr. */
static uint64_t value_load(const struct dvm_var *v, const void *p, uint64_t addr)
{
	return v->kind == DVM_V_INT ? __atomic_load_n((const shared_u64 *)p, __ATOMIC_RELAXED) : addr;
}

/* Stores v into a variable's bytes: an integer, or what is at machine address v. */
static bool value_store(struct mach *s, const struct dvm_var *var, void *p, uint64_t v)
{
	const void *src;
	uint32_t n;

	switch (var->kind) {
	case DVM_V_INT:
		__atomic_store_n((shared_u64 *)p, v, __ATOMIC_RELAXED);
		return true;
	case DVM_V_STRING:
		if (!(src = mem_str0(s, v, &n)))
			return false;
		base_memmove(p, src, n);
		((char *)p)[n] = 0;
		return true;
	default:
		if (!(src = mem_at(s, v, var->size, false)))
			return false;
		base_memmove(p, src, var->size);
		return true;
	}
}

/* Where a fixed variable lies: *addr, and a pointer to size bytes there. The arena's table may lie, the check does not. */
static void *fixed_at(struct mach *s, uint32_t id, uint64_t *addr)
{
	const struct dvm_var *v = &s->vars[id];

	if (v->scope == DVM_LOCAL)
		*addr = ADDR(RG_LOCAL, v->local_off);
	else
		*addr = ADDR(RG_GLOBAL, ((const uint32_t *)(s->m->arena + s->m->l.gtab))[id] & ~7u);
	return mem_at(s, *addr, dvm_var_size(v, &s->m->opts), true);
}

static bool load_key(struct mach *s, const struct dyn_key *k, uint64_t *out)
{
	const struct dvm_var *v = &s->vars[k->var];
	struct dyn_chunk *c;
	shared_u64 *slot;
	uint64_t word;
	uint32_t at;

	c = dyn_find(s->m, k, &slot, &word);
	if (!c || (uint64_t)DYN_HDR + k->keylen + dvm_var_size(v, &s->m->opts) > s->m->l.chunk) {
		*out = v->kind == DVM_V_STRING ? EMPTY_STR : v->kind == DVM_V_BYREF ? ADDR(RG_ZERO, 0) : 0;
		return true;
	}
	at = DYN_HDR + k->keylen;
	*out = value_load(v, (uint8_t *)c + at,
			  ADDR(RG_DYN, (uint64_t)((uint8_t *)c - s->rg[RG_DYN].base) + at));
	return true;
}

static void free_key(struct mach *s, const struct dyn_key *k)
{
	shared_u64 *slot;
	uint64_t word;

	if (dyn_find(s->m, k, &slot, &word))
		dyn_remove(s->m, slot, word);
}

static bool store_key(struct mach *s, const struct dyn_key *k, uint64_t v)
{
	const struct dvm_var *var = &s->vars[k->var];
	uint32_t size = dvm_var_size(var, &s->m->opts);
	struct dyn_chunk *c;
	shared_u64 *slot;
	uint64_t word;

	if (!v) {
		free_key(s, k);
		return true;
	}
	c = dyn_find(s->m, k, &slot, &word);
	if (c && (uint64_t)DYN_HDR + k->keylen + size > s->m->l.chunk)
		return true; /* somebody else's forgery */
	if (!c) {
		/* A bad source must not leave an element of zeroes behind. */
		if (var->kind == DVM_V_BYREF && !mem_at(s, v, var->size, false))
			return false;
		c = dyn_insert(s, k, size);
	}
	return !c || value_store(s, var, (uint8_t *)c + DYN_HDR + k->keylen, v);
}

bool var_load(struct mach *s, uint32_t id, uint64_t *v)
{
	struct dyn_key k;
	void *p;

	if (s->vars[id].scope == DVM_THREAD) {
		key_make(s, id, false, &k);
		return load_key(s, &k, v);
	}
	p = fixed_at(s, id, v);
	if (!p)
		return false;
	*v = value_load(&s->vars[id], p, *v);
	return true;
}

bool var_place(struct mach *s, uint32_t id, bool assoc, uint64_t *v)
{
	uint32_t size = dvm_var_size(&s->vars[id], &s->m->opts);
	struct dyn_key k;
	shared_u64 *slot;
	uint64_t word;
	void *p;

	if (!assoc && s->vars[id].scope != DVM_THREAD)
		return var_load(s, id, v);
	key_make(s, id, assoc, &k);
	if (dyn_find(s->m, &k, &slot, &word) || dyn_insert(s, &k, size))
		return load_key(s, &k, v);
	/* No room, which has been counted: what is stored goes nowhere. */
	*v = mem_alloc(s, size, &p);
	if (*v)
		base_memset(p, 0, size);
	return *v;
}

bool var_store(struct mach *s, uint32_t id, uint64_t v)
{
	struct dyn_key k;
	uint64_t addr;
	void *p;

	if (s->vars[id].scope == DVM_THREAD) {
		key_make(s, id, false, &k);
		return store_key(s, &k, v);
	}
	p = fixed_at(s, id, &addr);
	return p && value_store(s, &s->vars[id], p, v);
}

bool var_load_assoc(struct mach *s, uint32_t id, uint64_t *v)
{
	struct dyn_key k;

	key_make(s, id, true, &k);
	return load_key(s, &k, v);
}

bool var_store_assoc(struct mach *s, uint32_t id, uint64_t v)
{
	struct dyn_key k;

	key_make(s, id, true, &k);
	return store_key(s, &k, v);
}

void var_free(struct mach *s, uint32_t id)
{
	struct dyn_key k;

	key_make(s, id, false, &k);
	free_key(s, &k);
}

void var_free_assoc(struct mach *s, uint32_t id)
{
	struct dyn_key k;

	key_make(s, id, true, &k);
	free_key(s, &k);
}
