/* How a world serves each row. No libc: this also runs inside guests. */
#include "lx_syscall/world.h"

#include <errno.h>

#include "lx_syscall/lx_impl.h"

/* What of this world differs from the host: LX_NEED_*. */
static unsigned world_has(const struct lx_world *w)
{
	unsigned has = 0;

	if (w->version || w->release[0] || w->domainname[0])
		has |= LX_NEED_UTS;
	if (w->cpus)
		has |= LX_NEED_CPUS;
	if (w->memory)
		has |= LX_NEED_MEMORY;
	return has;
}

enum lx_how lx_world_how(const struct lx_world *w, unsigned row, enum lx_abi abi, int *error)
{
	const struct lx_row *r = &lx_rows[row];

	/* The kernel itself makes this one for calls that a signal interrupted, whatever version the guest believes in. */
	if (row == LX_ROW_restart_syscall)
		return LX_PASS;
	if (w->version && (w->version < r->since[abi] || (r->removed && w->version >= r->removed))) {
		*error = ENOSYS;
		return LX_DENY;
	}
	if (r->how == LX_DENY) {
		*error = r->error;
		return LX_DENY;
	}
	if (r->how == LX_EMULATE && lx_row_needs[row] & world_has(w))
		return LX_EMULATE;
	return LX_PASS;
}

const char *lx_world_needed(unsigned row)
{
	return lx_row_conditions[row];
}

bool lx_world_emulates(const struct lx_world *w)
{
	unsigned has = world_has(w);
	unsigned row;

	for (row = 0; row < LX_NROWS; row++) {
		if (lx_rows[row].how == LX_EMULATE && lx_row_needs[row] & has)
			return true;
	}
	return false;
}
