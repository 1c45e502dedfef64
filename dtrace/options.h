/* Options of a session (-x NAME=VALUE, #pragma D option, setopt, DTRACE_OPT_NAME): one table of name, type and default. */
#ifndef DTRACE_OPTIONS_H
#define DTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/host/err.h"

enum dt_opt {
	DT_OPT_AGGRATE, DT_OPT_AGGSIZE, DT_OPT_AGGSORTKEY, DT_OPT_AGGSORTKEYPOS, DT_OPT_AGGSORTPOS, DT_OPT_AGGSORTREV,
	DT_OPT_AGGPERCPU, DT_OPT_AMIN, DT_OPT_ARGREF, DT_OPT_BUFPOLICY, DT_OPT_BUFRESIZE, DT_OPT_BUFSIZE, DT_OPT_CLEANRATE, DT_OPT_CPP,
	DT_OPT_CPPARGS, DT_OPT_CPPHDRS, DT_OPT_CPPPATH, DT_OPT_CPU, DT_OPT_CTYPES, DT_OPT_DEBUG, DT_OPT_DEFAULTARGS, DT_OPT_DEFINE,
	DT_OPT_DESTRUCTIVE, DT_OPT_DROPTAGS, DT_OPT_DTYPES, DT_OPT_DYNVARSIZE, DT_OPT_EMPTY, DT_OPT_ERRTAGS, DT_OPT_EVALTIME,
	DT_OPT_FLOWINDENT, DT_OPT_INCDIR, DT_OPT_IREGS, DT_OPT_JSTACKFRAMES, DT_OPT_JSTACKSTRSIZE, DT_OPT_KNODEFS, DT_OPT_LAZYLOAD,
	DT_OPT_LIBDIR, DT_OPT_LINKMODE, DT_OPT_LINKTYPE, DT_OPT_MAXFRAMES, DT_OPT_NOLIBS, DT_OPT_NORESOLVE, DT_OPT_NSPEC, DT_OPT_PGMAX,
	DT_OPT_PSPEC, DT_OPT_PRINTSIZE, DT_OPT_QUIET, DT_OPT_QUIETRESIZE, DT_OPT_RAWBYTES, DT_OPT_RECORD, DT_OPT_SCRATCHSIZE,
	DT_OPT_SPECSIZE, DT_OPT_STACKFRAMES, DT_OPT_STACKINDENT, DT_OPT_STATUSRATE, DT_OPT_STDC, DT_OPT_STRSIZE, DT_OPT_STRIP, DT_OPT_SWITCHRATE,
	DT_OPT_SYSLIBDIR, DT_OPT_TREE, DT_OPT_TREGS, DT_OPT_UDEFS, DT_OPT_UNDEF, DT_OPT_UNODEFS, DT_OPT_USTACKFRAMES, DT_OPT_VERBOSE,
	DT_OPT_VERSION, DT_OPT_ZDEFS,
	DT_NOPTS
};

struct dt_opts {
	uint64_t val[DT_NOPTS]; /* sizes in bytes, rates in ns, booleans 0 or 1 */
	bool set[DT_NOPTS];     /* given by the user */
	char *str[DT_NOPTS];    /* text options; owned */
};

void dt_opts_init(struct dt_opts *o);
void dt_opts_free(struct dt_opts *o);
/* value NULL: a boolean is switched on. -EINVAL with "Invalid option name" or "Invalid value for specified option": the caller
 * names the option in front of it, as each place has its own words (and sets D_PRAGMA_OPTSET for pragmas). Text options that
 * may be given several times (define, undef, incdir, libdir, cppargs) collect their values, separated by newlines. */
int dt_opt_set(struct dt_opts *o, const char *name, const char *value, struct err *e);
/* True for the options that setopt() may change while the session runs. */
bool dt_opt_dynamic(const char *name);
/* DTRACE_OPT_NAME (upper case) from the environment; variables that name no option are ignored. */
int dt_opts_from_env(struct dt_opts *o, struct err *e);

#endif
