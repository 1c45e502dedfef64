/* The principal buffer, writers' side: a ring of records from any number of threads and processes to one reader. Positions
 * count bytes for ever; a record is reserved by compare-and-swap on head, written, and committed by its frame: length and
 * a number made from its position, so that neither bytes of an earlier round nor those of a writer that died pass as a
 * record. */
#include "dvm/dvm_impl.h"

static void ring_write(const struct dvm *m, uint64_t pos, const void *p, uint32_t n)
{
	uint32_t at = (uint32_t)pos & (m->l.buf_size - 1), first = m->l.buf_size - at;
	uint8_t *ring = m->arena + m->l.buf;

	if (first > n)
		first = n;
	base_memcpy(ring + at, p, first);
	base_memcpy(ring, (const uint8_t *)p + first, n - first);
}

static inline uint64_t *frame_at(const struct dvm *m, uint64_t pos)
{
	return (uint64_t *)(m->arena + m->l.buf + ((uint32_t)pos & (m->l.buf_size - 1)));
}

static inline uint64_t frame_make(uint64_t pos, uint32_t len, uint32_t busy)
{
	return (uint64_t)ring_seq(pos) << 32 | len | busy;
}

/* Ring policy: gives up the oldest record. False if it is not a committed one. */
static bool ring_forget(const struct dvm *m, struct arena_hdr *h, uint64_t tail)
{
	uint64_t f = __atomic_load_n(frame_at(m, tail), __ATOMIC_ACQUIRE);
	uint32_t len = (uint32_t)f;

	if (f >> 32 != ring_seq(tail) || (len & 7) || len < sizeof(struct dvm_rec) || len > m->l.buf_size - RING_FRAME)
		return false;
	__atomic_compare_exchange_n(&h->tail, &tail, tail + RING_FRAME + len, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return true;
}

/* END's records and exit()'s status have room of their own: a full buffer must not swallow how it ended. */
static bool is_last(const struct mach *s)
{
	return s->kind == DVM_P_END || s->exits;
}

/* Reserves need bytes; UINT64_MAX if there is no room. Each try gains ground or lost to another writer that did. */
static uint64_t ring_reserve(struct mach *s, uint32_t need)
{
	const struct dvm *m = s->m;
	struct arena_hdr *h = s->hdr;
	uint32_t cap = m->l.buf_size, policy = m->opts.bufpolicy;
	uint64_t head = __atomic_load_n(&h->head, __ATOMIC_RELAXED) & ~7ull;

	if (policy != DVM_BUF_RING && !is_last(s))
		cap -= m->l.buf_reserve;
	for (uint32_t tries = 0; tries < 1000 + cap / 64; tries++) {
		uint64_t tail = __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE) & ~7ull, used = head - tail;

		if (used > m->l.buf_size) {
			/* The reader, or a ring writer, moved on after we read head; or somebody spoilt the two. */
			uint64_t now = __atomic_load_n(&h->head, __ATOMIC_RELAXED) & ~7ull;

			if (now == head)
				return UINT64_MAX;
			head = now;
			continue;
		}
		if (need > cap - (used < cap ? used : cap)) {
			if (policy != DVM_BUF_RING || need > cap || !ring_forget(m, h, tail))
				return UINT64_MAX;
			continue;
		}
		if (__atomic_compare_exchange_n(&h->head, &head, head + need, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return head;
		head &= ~7ull;
	}
	return UINT64_MAX;
}

void buf_put(struct mach *s, const struct dvm_rec *r)
{
	const struct dvm *m = s->m;
	bool fill = m->opts.bufpolicy == DVM_BUF_FILL;
	uint64_t pos;

	if (fill && !is_last(s) && __atomic_load_n(&s->hdr->buf_full, __ATOMIC_RELAXED))
		return;
	pos = ring_reserve(s, RING_FRAME + r->len);
	if (pos == UINT64_MAX) {
		if (fill)
			__atomic_store_n(&s->hdr->buf_full, 1, __ATOMIC_RELAXED);
		else
			dvm_drop(s->hdr, DROP_PRINCIPAL);
		return;
	}
	__atomic_store_n(frame_at(m, pos), frame_make(pos, r->len, RING_BUSY), __ATOMIC_RELAXED);
	ring_write(m, pos + RING_FRAME, r, r->len);
	__atomic_store_n(frame_at(m, pos), frame_make(pos, r->len, 0), __ATOMIC_RELEASE);
}
