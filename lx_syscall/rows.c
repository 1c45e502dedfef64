/* Finding rows. No libc: this also runs inside guests. */
#include "lx_syscall/lx.h"

#include <stddef.h>

#include "lx_syscall/lx_impl.h"

int lx_row_by_nr(enum lx_abi abi, unsigned long nr)
{
	if (abi == LX_SYS64)
		return nr <= LX_MAXNR_SYS64 ? lx_sys64_rows[nr] : -1;
	return nr <= LX_MAXNR_SYS32 ? lx_sys32_rows[nr] : -1;
}

static int name_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

int lx_row_by_name(const char *name)
{
	unsigned lo = 0, hi = LX_NROWS;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		int c = name_compare(name, lx_rows[lx_rows_by_name[mid]].name);

		if (!c)
			return lx_rows_by_name[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

const char *lx_abi_name(enum lx_abi abi)
{
	return abi == LX_SYS64 ? "sys64" : "sys32";
}

const char *lx_class_name(unsigned cls)
{
	return cls < LX_NCLASSES ? lx_class_names[cls] : "?";
}

const char *lx_how_name(enum lx_how how)
{
	switch (how) {
	case LX_PASS:
		return "pass";
	case LX_EMULATE:
		return "emulate";
	case LX_DENY:
		return "deny";
	}
	return "?";
}
