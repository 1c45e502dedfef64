/* The principal buffer, reader's side. Nothing in the ring is believed: a record is copied out first and checked in the copy. */
#include "dvm/dvm_impl.h"

#define STUCK_READS 64u /* a record that is still uncommitted after so many looks has lost its writer */

static void ring_read(const struct dvm *m, uint64_t pos, void *p, uint32_t n)
{
	uint32_t at = (uint32_t)pos & (m->l.buf_size - 1), first = m->l.buf_size - at;
	const uint8_t *ring = m->arena + m->l.buf;

	if (first > n)
		first = n;
	base_memcpy(p, ring + at, first);
	base_memcpy((uint8_t *)p + first, ring, n - first);
}

static uint64_t frame_load(const struct dvm *m, uint64_t pos)
{
	return __atomic_load_n((uint64_t *)(m->arena + m->l.buf + ((uint32_t)pos & (m->l.buf_size - 1))), __ATOMIC_ACQUIRE);
}

size_t dvm_buf_used(const struct dvm *m)
{
	const struct arena_hdr *h = dvm_hdr(m);
	uint64_t tail = __atomic_load_n(&h->tail, __ATOMIC_RELAXED), head = __atomic_load_n(&h->head, __ATOMIC_RELAXED);

	return head - tail <= m->l.buf_size ? (size_t)(head - tail) : m->l.buf_size;
}

bool dvm_buf_full(const struct dvm *m)
{
	return m->opts.bufpolicy == DVM_BUF_FILL && __atomic_load_n(&dvm_hdr(m)->buf_full, __ATOMIC_RELAXED);
}

const struct dvm_item *dvm_item_next(const void *base, size_t len, size_t *pos)
{
	const struct dvm_item *i;
	uint32_t n;

	if (*pos > len || len - *pos < sizeof(*i) || (*pos & 7))
		return NULL;
	i = (const struct dvm_item *)((const uint8_t *)base + *pos);
	n = i->len;
	if (i->kind < DVM_I_INT || i->kind > DVM_I_USTACK || (i->kind == DVM_I_INT && n != 8) ||
	    ((uint64_t)n + 7) / 8 * 8 > len - *pos - sizeof(*i))
		return NULL;
	*pos += sizeof(*i) + ROUND8(n);
	return i;
}

static bool record_ok(const struct dvm *m, const struct dvm_rec *r, uint32_t len)
{
	size_t pos = sizeof(*r);

	if (r->len != len || r->clause >= m->img->clauses.count || r->probe >= m->img->probes.count)
		return false;
	if (r->kind == DVM_REC_ERROR)
		return len == sizeof(*r) && r->fault < DVM_NFAULTS;
	if (r->kind != DVM_REC_DATA)
		return false;
	while (pos < len)
		if (!dvm_item_next(r, len, &pos))
			return false;
	return true;
}

static long spoilt(struct dvm *m, uint64_t head)
{
	if (head & 7)
		__atomic_store_n(&dvm_hdr(m)->head, head & ~7ull, __ATOMIC_RELAXED);
	__atomic_store_n(&dvm_hdr(m)->tail, head & ~7ull, __ATOMIC_RELEASE);
	return -EPROTO;
}

/* Where the next frame after a lost record may be: the first place before head whose bytes are a frame of that place. */
static uint64_t resync(const struct dvm *m, uint64_t pos, uint64_t head)
{
	for (pos += 8; pos < head; pos += 8) {
		uint64_t f = frame_load(m, pos);
		uint32_t len = (uint32_t)f & ~7u;

		if (f >> 32 == ring_seq(pos) && len >= sizeof(struct dvm_rec) && len <= head - pos - RING_FRAME)
			break;
	}
	return pos;
}

/* At tail lies a record that is not committed (yet). Its writer may be at work, or dead: then the rest must be saved. */
static bool skip_stuck(struct dvm *m, uint64_t tail, uint64_t head)
{
	struct arena_hdr *h = dvm_hdr(m);

	if (m->stuck_pos != tail || !m->stuck_times)
		m->stuck_times = 0;
	m->stuck_pos = tail;
	if (++m->stuck_times < STUCK_READS && dvm_activity(m) != DVM_STOPPED)
		return false;
	m->stuck_times = 0;
	dvm_drop(h, DROP_PRINCIPAL);
	__atomic_store_n(&h->tail, resync(m, tail, head), __ATOMIC_RELEASE);
	return true;
}

long dvm_buf_read(struct dvm *m, void *buf, size_t cap, size_t *need)
{
	struct arena_hdr *h = dvm_hdr(m);

	/* Each turn but the last frees at least 8 bytes of the ring. */
	for (uint32_t turns = 0; turns <= m->l.buf_size / 8; turns++) {
		uint64_t tail = __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE), head = __atomic_load_n(&h->head, __ATOMIC_ACQUIRE);
		uint64_t f;
		uint32_t len;

		if (head == tail)
			return 0;
		if (head - tail > m->l.buf_size || (tail & 7) || (head & 7))
			return spoilt(m, head);
		f = frame_load(m, tail);
		len = (uint32_t)f;
		if (f >> 32 != ring_seq(tail) || (len & RING_BUSY)) {
			if (!skip_stuck(m, tail, head))
				return 0;
			continue;
		}
		if ((len & 7) || len < sizeof(struct dvm_rec) || len > head - tail - RING_FRAME)
			return spoilt(m, head);
		if (len > cap) {
			if (need)
				*need = len;
			return -ENOSPC;
		}
		ring_read(m, tail + RING_FRAME, buf, len);
		/* Ring policy: a writer may have overwritten the record while it was copied. */
		if (!__atomic_compare_exchange_n(&h->tail, &tail, tail + RING_FRAME + len, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		if (!record_ok(m, buf, len))
			return spoilt(m, head);
		return (long)len;
	}
	return 0;
}
