/* Built-in variables: most lie in the event; those that cost something are asked of the engine. */
#include "dvm/dvm_impl.h"

/* Makes one of the event's strings readable where it lies. */
static uint64_t event_string(struct mach *s, enum region g, const char *p)
{
	if (!p)
		return EMPTY_STR;
	if (!s->rg[g].base)
		s->rg[g] = (struct mem_region){ (uint8_t *)p, (uint32_t)base_strnlen(p, 4095) + 1, 0 };
	return ADDR(g, 0);
}

static uint64_t asked_string(struct mach *s, uint32_t b)
{
	uint32_t cap = s->m->opts.strsize;
	char *d;
	long n;

	if (!s->ev->ops || !s->ev->ops->string)
		return EMPTY_STR;
	d = mem_str_room(s, cap - 1);
	if (!d)
		return 0;
	n = s->ev->ops->string(s->ev, (int)b, d, cap);
	if (n < 0)
		return EMPTY_STR;
	return mem_str_done(s, n < (long)cap ? (uint32_t)n : cap - 1);
}

static uint64_t asked(struct mach *s, uint32_t b)
{
	return s->ev->ops && s->ev->ops->builtin ? s->ev->ops->builtin(s->ev, (int)b) : 0;
}

uint64_t builtin_value(struct mach *s, uint32_t b, uint64_t index)
{
	const struct dvm_event *ev = s->ev;
	const struct dvm_probe *p = (const struct dvm_probe *)img_at(s->img, s->img->probes.off) + s->probe;

	switch (b) {
	case DVM_B_ARG:
		if (index < DVM_MAXARGS)
			return ev->arg[index];
		mach_fault(s, DVM_FLT_BADINDEX, index);
		return 0;
	case DVM_B_PID: return (uint64_t)ev->pid;
	case DVM_B_TID: return (uint64_t)ev->tid;
	case DVM_B_PPID: return ev->ppid ? (uint64_t)ev->ppid : asked(s, b);
	case DVM_B_ZPID: return (uint64_t)ev->zpid;
	case DVM_B_ZTID: return (uint64_t)ev->ztid;
	case DVM_B_EXECNAME: return event_string(s, RG_EXECNAME, ev->execname);
	case DVM_B_ZONENAME: return event_string(s, RG_ZONENAME, ev->zonename);
	case DVM_B_LXHOW: return event_string(s, RG_LXHOW, ev->lxhow);
	case DVM_B_PROBEPROV: return ADDR(RG_STRTAB, p->prov);
	case DVM_B_PROBEMOD: return ADDR(RG_STRTAB, p->mod);
	case DVM_B_PROBEFUNC: return ADDR(RG_STRTAB, p->func);
	case DVM_B_PROBENAME: return ADDR(RG_STRTAB, p->name);
	case DVM_B_ID: return p->id;
	case DVM_B_EPID: return s->enabling + 1;
	case DVM_B_TIMESTAMP: return ev->timestamp;
	case DVM_B_ERRNO: return (uint64_t)ev->error;
	case DVM_B_CPU: return ev->cpu;
	case DVM_B_CWD:
	case DVM_B_ROOT: return asked_string(s, b);
	default: return asked(s, b);
	}
}
