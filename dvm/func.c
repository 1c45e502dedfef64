/* The D functions that move memory, convert numbers, ask the engine or act on the guest. Strings: strfunc.c, pathfunc.c. */
#include "dvm/dvm_impl.h"

static uint64_t copyin(struct mach *s, uint64_t from, uint64_t n)
{
	void *p;
	uint64_t addr = mem_alloc(s, n, &p);

	if (!addr || !n)
		return addr;
	if (!s->ev->ops || !s->ev->ops->copyin || s->ev->ops->copyin(s->ev, from, p, (size_t)n))
		mach_fault(s, DVM_FLT_BADADDR, from);
	return addr;
}

/* max counts bytes with the NUL, as strsize does. */
static uint64_t copyinstr(struct mach *s, uint64_t from, uint64_t max)
{
	uint32_t cap = s->m->opts.strsize;
	char *d;
	long n;

	if (max < cap)
		cap = (uint32_t)max;
	if (!cap)
		return EMPTY_STR;
	d = mem_str_room(s, cap - 1);
	if (!d)
		return 0;
	n = s->ev->ops && s->ev->ops->copyinstr ? s->ev->ops->copyinstr(s->ev, from, d, cap) : -1;
	if (n < 0) {
		mach_fault(s, DVM_FLT_BADADDR, from);
		return 0;
	}
	return mem_str_done(s, n < (long)cap ? (uint32_t)n : cap - 1);
}

static uint64_t copyinto(struct mach *s, uint64_t from, uint64_t n, uint64_t to)
{
	void *p = mem_at(s, to, n, true);

	if (p && n && (!s->ev->ops || !s->ev->ops->copyin || s->ev->ops->copyin(s->ev, from, p, (size_t)n)))
		mach_fault(s, DVM_FLT_BADADDR, from);
	return 0;
}

static bool destructive(struct mach *s, uint64_t addr)
{
	return s->m->opts.destructive || mach_fault(s, DVM_FLT_UPRIV, addr);
}

static bool guest_write(struct mach *s, uint64_t to, const void *p, uint64_t n)
{
	const struct dvm_ops *ops = s->ev->ops;

	if (n && (!ops || !ops->copyout || ops->copyout(s->ev, to, p, (size_t)n)))
		return mach_fault(s, DVM_FLT_BADADDR, to);
	return true;
}

static uint64_t copyout(struct mach *s, uint64_t from, uint64_t to, uint64_t n)
{
	const void *p = mem_at(s, from, n, false);

	if (p && destructive(s, to))
		guest_write(s, to, p, n);
	return 0;
}

/* Writes the string and its NUL, max bytes at most. */
static uint64_t copyoutstr(struct mach *s, uint64_t from, uint64_t to, uint64_t max)
{
	uint32_t n;
	const char *p = mem_str(s, from, &n);

	if (p && destructive(s, to) && guest_write(s, to, p, n < max ? n : max) && n < max)
		guest_write(s, to + n, "", 1);
	return 0;
}

static uint64_t copy_bytes(struct mach *s, uint64_t from, uint64_t to, uint64_t n)
{
	const void *p = mem_at(s, from, n, false);
	void *d = p ? mem_at(s, to, n, true) : NULL;

	if (d)
		base_memmove(d, p, (size_t)n);
	return 0;
}

static uint64_t act(struct mach *s, uint32_t f, uint64_t arg)
{
	if (destructive(s, 0) && s->ev->ops && s->ev->ops->act)
		s->ev->ops->act(s->ev, (int)f, arg);
	return 0;
}

static uint64_t progenyof(struct mach *s, uint64_t pid)
{
	const struct dvm_event *ev = s->ev;

	if ((uint64_t)ev->pid == pid || (ev->ppid && (uint64_t)ev->ppid == pid))
		return 1;
	return ev->ops && ev->ops->act && ev->ops->act(ev, DVM_F_PROGENYOF, pid) == 1;
}

/* 31 bits of a counter stirred: no state of its own, different in every thread. */
static uint64_t random31(struct mach *s)
{
	uint64_t v = __atomic_fetch_add(&s->hdr->rand, 0x9e3779b97f4a7c15ull, __ATOMIC_RELAXED) ^ s->ev->timestamp;

	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
	v = (v ^ v >> 27) * 0x94d049bb133111ebull;
	return v >> 33;
}

static uint64_t alloca_zeroed(struct mach *s, uint64_t n)
{
	void *p;
	uint64_t addr = mem_alloc(s, n, &p);

	if (addr)
		base_memset(p, 0, (size_t)n);
	return addr;
}

uint64_t func_call(struct mach *s, uint32_t f, const uint64_t *a, unsigned n)
{
	switch (f) {
	case DVM_F_COPYIN: return copyin(s, a[0], a[1]);
	case DVM_F_COPYINSTR: return copyinstr(s, a[0], n > 1 ? a[1] : UINT64_MAX);
	case DVM_F_COPYINTO: return copyinto(s, a[0], a[1], a[2]);
	case DVM_F_COPYOUT: return copyout(s, a[0], a[1], a[2]);
	case DVM_F_COPYOUTSTR: return copyoutstr(s, a[0], a[1], n > 2 ? a[2] : UINT64_MAX);
	case DVM_F_ALLOCA: return alloca_zeroed(s, a[0]);
	case DVM_F_BCOPY: return copy_bytes(s, a[0], a[1], a[2]);
	case DVM_F_HTONS:
	case DVM_F_NTOHS: return __builtin_bswap16((uint16_t)a[0]);
	case DVM_F_HTONL:
	case DVM_F_NTOHL: return __builtin_bswap32((uint32_t)a[0]);
	case DVM_F_HTONLL:
	case DVM_F_NTOHLL: return __builtin_bswap64(a[0]);
	case DVM_F_RAND: return random31(s);
	case DVM_F_PROGENYOF: return progenyof(s, a[0]);
	case DVM_F_GETMAJOR: return a[0] >> 20 & 0xfff;
	case DVM_F_GETMINOR: return a[0] & 0xfffff;
	case DVM_F_RAISE:
	case DVM_F_CHILL: return act(s, f, a[0]);
	case DVM_F_STOP: return act(s, f, 0);
	case DVM_F_BASENAME:
	case DVM_F_DIRNAME:
	case DVM_F_CLEANPATH:
	case DVM_F_INET_NTOA:
	case DVM_F_INET_NTOA6:
	case DVM_F_INET_NTOP: return pathfunc_call(s, f, a);
	default: return strfunc_call(s, f, a, n);
	}
}
