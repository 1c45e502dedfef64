/* The arena as a whole: its size, its first contents, opening it, the session's activity and the drop counters. */
#include "dvm/dvm_impl.h"

void dvm_opts_default(struct dvm_opts *o)
{
	*o = (struct dvm_opts){
		.strsize = 256,
		.bufsize = 4u << 20,
		.aggsize = 4u << 20,
		.dynvarsize = 1u << 20,
		.scratchsize = 256u << 10,
		.bufpolicy = DVM_BUF_SWITCH,
	};
}

size_t dvm_arena_size(const struct dvm_image *img, const struct dvm_opts *o)
{
	struct dvm_layout l;

	return dvm_layout(img, o, &l) ? 0 : l.arena_size;
}

size_t dvm_scratch_size(const struct dvm_image *img, const struct dvm_opts *o)
{
	struct dvm_layout l;

	return dvm_layout(img, o, &l) ? 0 : l.scratch_size;
}

/* Two processes that differ in it (an older program still running, say) must not share an arena. */
static uint32_t layout_hash(const struct dvm_layout *l)
{
	const uint32_t *w = (const uint32_t *)l;
	uint64_t h = DVM_VERSION;

	h = hash_step(h, DVM_NOPS << 20 | DVM_NFUNCS << 10 | DVM_NBUILTINS);
	h = hash_step(h, sizeof(struct arena_hdr) << 16 | sizeof(struct dvm_rec));
	for (unsigned i = 0; i < sizeof(*l) / sizeof(*w); i++)
		if (&w[i] != &l->scratch_size) /* private; differs between the two ABIs */
			h = hash_step(h, w[i]);
	return (uint32_t)hash_end(h);
}

int dvm_arena_init(void *arena, size_t size, const struct dvm_image *img, const struct dvm_opts *o)
{
	const struct dvm_var *v = img_at(img, img->vars.off);
	struct arena_hdr *h = arena;
	struct dvm_layout l;
	uint32_t *gtab, at = 0;

	if (dvm_layout(img, o, &l) || size < l.arena_size)
		return -EINVAL;
	gtab = (uint32_t *)((uint8_t *)arena + l.gtab);
	for (uint32_t i = 0; i < img->vars.count; i++)
		if (v[i].scope == DVM_GLOBAL && !v[i].assoc) {
			gtab[i] = at;
			at += dvm_var_size(&v[i], o);
		}
	h->layout = layout_hash(&l);
	h->activity = DVM_WARMUP;
	h->agg[0].gen = h->agg[1].gen = 1;
	__atomic_store_n(&h->magic, ARENA_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

int dvm_open(struct dvm *m, const struct dvm_image *img, const struct dvm_opts *o, void *arena, size_t size)
{
	const struct arena_hdr *h = arena;

	base_memset(m, 0, sizeof(*m));
	if (dvm_layout(img, o, &m->l) || size < m->l.arena_size || ((uintptr_t)arena & 63))
		return -EINVAL;
	if (h->magic != ARENA_MAGIC || h->layout != layout_hash(&m->l))
		return -EINVAL;
	m->img = img;
	m->arena = arena;
	m->arena_size = size;
	m->opts = *o;
	return 0;
}

enum dvm_activity dvm_activity(const struct dvm *m)
{
	uint32_t a = __atomic_load_n(&dvm_hdr(m)->activity, __ATOMIC_ACQUIRE);

	return a > DVM_STOPPED ? DVM_STOPPED : (enum dvm_activity)a;
}

void dvm_set_activity(struct dvm *m, enum dvm_activity a)
{
	struct arena_hdr *h = dvm_hdr(m);
	uint32_t old = DVM_WARMUP;

	/* An exit() in BEGIN must not be undone by the engine's going on to ACTIVE. */
	if (a == DVM_ACTIVE)
		__atomic_compare_exchange_n(&h->activity, &old, a, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	else
		__atomic_store_n(&h->activity, a, __ATOMIC_RELEASE);
}

void dvm_drops_take(struct dvm *m, struct dvm_drops *d)
{
	struct arena_hdr *h = dvm_hdr(m);

	d->principal = __atomic_exchange_n(&h->drops[DROP_PRINCIPAL], 0, __ATOMIC_RELAXED);
	d->agg = __atomic_exchange_n(&h->drops[DROP_AGG], 0, __ATOMIC_RELAXED);
	d->dynvar = __atomic_exchange_n(&h->drops[DROP_DYNVAR], 0, __ATOMIC_RELAXED);
	d->dblerror = __atomic_exchange_n(&h->drops[DROP_DBLERROR], 0, __ATOMIC_RELAXED);
}
