/* Machine memory: turns the machine's tagged addresses into pointers, checking every one, and hands out scratch. */
#include "dvm/dvm_impl.h"
#include "dvm/vars_impl.h"

typedef uint64_t word __attribute__((may_alias, aligned(1)));

uint64_t dvm_hash(uint64_t h, const void *p, uint32_t len)
{
	const uint64_t *w = p;

	for (; len >= 8; len -= 8)
		h = hash_step(h, *w++);
	return hash_end(h);
}

/* A store into a dynamic variable must not reach another one or a chunk's header. */
static bool in_chunk(const struct mach *s, uint64_t off, uint64_t n)
{
	uint32_t in = (uint32_t)off % s->m->l.chunk;

	return in >= DYN_HDR && in + n <= s->m->l.chunk;
}

void *mem_at(struct mach *s, uint64_t addr, uint64_t n, bool write)
{
	uint64_t region = (addr >> 48) - ADDR_TAG, off = addr & 0xffffffffffffull;
	const struct mem_region *g = &s->rg[region < NREGIONS ? region : 0];

	if (region >= NREGIONS || off > g->size || n > g->size - off || (write && !g->writable) ||
	    (write && region == RG_DYN && !in_chunk(s, off, n))) {
		mach_fault(s, DVM_FLT_BADADDR, addr);
		return NULL;
	}
	return g->base + off;
}

/* Bytes before the NUL, at most max; all max bytes may be read. */
static uint32_t str_len(const char *p, uint32_t max)
{
	uint32_t n = 0;

	for (; max - n >= 8; n += 8) {
		uint64_t w = *(const word *)(p + n), zero = (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;

		if (zero) /* the lowest such bit is right, whatever the bytes above it */
			return n + ((uint32_t)__builtin_ctzll(zero) >> 3);
	}
	while (n < max && p[n])
		n++;
	return n;
}

const char *mem_str(struct mach *s, uint64_t addr, uint32_t *len)
{
	uint64_t region = (addr >> 48) - ADDR_TAG, off = addr & 0xffffffffffffull;
	const struct mem_region *g = &s->rg[region < NREGIONS ? region : 0];
	uint32_t max = s->m->opts.strsize - 1;
	const char *p;

	if (region >= NREGIONS || off >= g->size) {
		mach_fault(s, DVM_FLT_BADADDR, addr);
		return NULL;
	}
	p = (const char *)g->base + off;
	*len = str_len(p, g->size - off < max ? g->size - (uint32_t)off : max);
	return p;
}

const char *mem_str0(struct mach *s, uint64_t addr, uint32_t *len)
{
	if (addr)
		return mem_str(s, addr, len);
	*len = 0;
	return "";
}

/* Each block starts at a multiple of 8 with at least one zero byte before it, so that bytes copied in end as a string does;
 * the region ends exactly where the last block does. */
uint64_t mem_alloc(struct mach *s, uint64_t n, void **p)
{
	struct mem_region *g = &s->rg[RG_SCRATCH];
	uint32_t cap = s->m->opts.scratchsize, start = g->size ? ROUND8(g->size + 1) : 0;

	if (start > cap || n > cap - start) {
		mach_fault(s, DVM_FLT_NOSCRATCH, 0);
		return 0;
	}
	base_memset(g->base + g->size, 0, start - g->size);
	g->size = start + (uint32_t)n;
	*p = g->base + start;
	return ADDR(RG_SCRATCH, start);
}

char *mem_str_room(struct mach *s, uint32_t n)
{
	struct mem_region *g = &s->rg[RG_TSTR];

	if (n >= s->m->l.strings - g->size) {
		mach_fault(s, DVM_FLT_NOSCRATCH, 0);
		return NULL;
	}
	return (char *)g->base + g->size;
}

uint64_t mem_str_done(struct mach *s, uint32_t n)
{
	struct mem_region *g = &s->rg[RG_TSTR];
	uint64_t addr = ADDR(RG_TSTR, g->size);

	g->base[g->size + n] = 0;
	g->size += ROUND8(n + 1);
	return addr;
}

uint64_t mem_str_new(struct mach *s, const char *p, uint32_t n)
{
	char *d = mem_str_room(s, n);

	if (!d)
		return 0;
	base_memcpy(d, p, n);
	return mem_str_done(s, n);
}
