/* What a guest is told about its machine: uname(2) with its two i386 ancestors, sysinfo(2). Each copies out once, so that
 * a bad buffer leaves nothing half told. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "emul/emul_impl.h"
#include "emul/guest.h"
#include "lx_syscall/lx_handlers.h"

#define FIELD 65 /* a field of new_utsname and old_utsname, with its zero byte */

/* personality(2)'s UNAME26: kernels from 3.0 on call themselves 2.6.40 and up, from 4.0 on 2.6.60 and up. */
static void release_26(char release[FIELD])
{
	char old[FIELD], *rest = old;
	unsigned major, minor;
	int dots = 0;

	memcpy(old, release, FIELD);
	if (sscanf(old, "%u.%u", &major, &minor) != 2 || major < 3)
		return;
	for (; *rest; rest++) {
		if (*rest == '.' && ++dots >= 3)
			break;
		if (!isdigit((unsigned char)*rest) && *rest != '.')
			break;
	}
	snprintf(release, FIELD, "2.6.%u%s", minor + (major == 3 ? 40 : 60), rest);
}

/* The names that this guest should see. */
static void world_uts(struct emul_task *t, struct utsname *u)
{
	const struct lx_world *w = t->world;
	unsigned long persona = guest_personality(t->tid);

	if (guest_uts(t->tid, u)) {
		/* Its namespace is closed to us: everything but the host's own name is still right. */
		uname(u);
		strcpy(u->nodename, "localhost");
		strcpy(u->domainname, "(none)");
	}
	if (w->release[0])
		snprintf(u->release, sizeof(u->release), "%s", w->release);
	if (w->domainname[0])
		snprintf(u->domainname, sizeof(u->domainname), "%s", w->domainname);
	if (persona & UNAME26)
		release_26(u->release);
	if ((persona & PER_MASK) == PER_LINUX32) {
		memset(u->machine, 0, sizeof(u->machine));
		strcpy(u->machine, "i686");
	}
}

/* uname(2). */
long lx_uname(struct emul_task *t, const struct lx_uname_args *a)
{
	struct utsname u = { 0 };

	world_uts(t, &u);
	return emul_copyout(t, a->buf, &u, sizeof(u));
}

/* The uname of Linux 1.0 (i386 number 109): the same without the domain name. */
long lx_olduname(struct emul_task *t, const struct lx_olduname_args *a)
{
	struct utsname u = { 0 };

	if (!a->buf)
		return -EFAULT;
	world_uts(t, &u);
	return emul_copyout(t, a->buf, &u, 5 * FIELD);
}

/* The first uname of all (i386 number 59): five fields of eight characters and a zero byte. */
long lx_oldolduname(struct emul_task *t, const struct lx_oldolduname_args *a)
{
	struct utsname u = { 0 };
	char old[5][9] = { 0 };

	if (!a->buf)
		return -EFAULT;
	world_uts(t, &u);
	memcpy(old[0], u.sysname, 8);
	memcpy(old[1], u.nodename, 8);
	memcpy(old[2], u.release, 8);
	memcpy(old[3], u.version, 8);
	memcpy(old[4], u.machine, 8);
	return emul_copyout(t, a->buf, old, sizeof(old));
}

/* struct sysinfo of the i386 ABI, 64 bytes. */
struct sysinfo32 {
	int32_t uptime;
	uint32_t loads[3];
	uint32_t totalram, freeram, sharedram, bufferram, totalswap, freeswap;
	uint16_t procs, pad;
	uint32_t totalhigh, freehigh, mem_unit;
	char f[8];
};
_Static_assert(sizeof(struct sysinfo32) == 64, "layout of the i386 ABI");
_Static_assert(sizeof(struct sysinfo) == 112, "layout of the x86_64 ABI");

static uint64_t scaled(uint64_t part, uint64_t of, uint64_t total)
{
	return of ? (uint64_t)((__uint128_t)part * total / of) : 0;
}

/* Memory is the world's, in use in the same proportion as on the host; the rest (load, swap, number of threads) is what
 * the kernel itself would have answered. */
static void world_sysinfo(struct emul_task *t, struct sysinfo *s)
{
	int64_t sec, nsec;
	struct timespec now;
	uint64_t total;

	memset(s, 0, sizeof(*s));
	sysinfo(s);
	guest_boottime_offset(t->tid, &sec, &nsec);
	clock_gettime(CLOCK_BOOTTIME, &now);
	nsec += now.tv_nsec;
	s->uptime = now.tv_sec + sec + nsec / 1000000000 + (nsec % 1000000000 != 0); /* rounded up, as the kernel does */
	if (!t->world->memory)
		return;
	total = s->totalram * s->mem_unit;
	s->freeram = scaled(s->freeram * s->mem_unit, total, t->world->memory);
	s->sharedram = scaled(s->sharedram * s->mem_unit, total, t->world->memory);
	s->bufferram = scaled(s->bufferram * s->mem_unit, total, t->world->memory);
	s->totalram = t->world->memory;
	s->totalswap *= s->mem_unit;
	s->freeswap *= s->mem_unit;
	s->totalhigh = s->freehigh = 0;
	s->mem_unit = 1;
}

/* In units of up to a page, so that more than 4 GiB fit into 32 bits. */
static void sysinfo_narrow(const struct sysinfo *s, struct sysinfo32 *n)
{
	unsigned unit = s->mem_unit, shift = 0;

	if (s->totalram >> 32 || s->totalswap >> 32)
		for (; unit < 4096; unit <<= 1)
			shift++;
	*n = (struct sysinfo32){
		.uptime = (int32_t)s->uptime,
		.loads = { (uint32_t)s->loads[0], (uint32_t)s->loads[1], (uint32_t)s->loads[2] },
		.totalram = (uint32_t)(s->totalram >> shift),
		.freeram = (uint32_t)(s->freeram >> shift),
		.sharedram = (uint32_t)(s->sharedram >> shift),
		.bufferram = (uint32_t)(s->bufferram >> shift),
		.totalswap = (uint32_t)(s->totalswap >> shift),
		.freeswap = (uint32_t)(s->freeswap >> shift),
		.procs = s->procs,
		.totalhigh = (uint32_t)(s->totalhigh >> shift),
		.freehigh = (uint32_t)(s->freehigh >> shift),
		.mem_unit = unit,
	};
}

/* sysinfo(2). */
long lx_sysinfo(struct emul_task *t, const struct lx_sysinfo_args *a)
{
	struct sysinfo32 narrow;
	struct sysinfo s;

	world_sysinfo(t, &s);
	if (t->abi == LX_SYS64)
		return emul_copyout(t, a->info, &s, sizeof(s));
	sysinfo_narrow(&s, &narrow);
	return emul_copyout(t, a->info, &narrow, sizeof(narrow));
}
