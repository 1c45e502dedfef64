/* Options of a session: one table of name, type and default, and the ways in which a value is written. */
#include "dtrace/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dvm/dvm.h"

enum opt_type {
	T_BOOL,  /* yes no on off enable disable true false set unset, a number, or nothing */
	T_NUM,   /* a number */
	T_SIZE,  /* bytes: k m g t */
	T_RATE,  /* ns: ns us ms s m h d hz */
	T_TEXT,
	T_LIST,  /* text that collects */
	T_WORD,  /* one of words, the value is its index */
};

static const char *const words_bufpolicy[] = {
	[DVM_BUF_SWITCH] = "switch", [DVM_BUF_FILL] = "fill", [DVM_BUF_RING] = "ring", NULL
};
static const char *const words_bufresize[] = { "auto", "manual", NULL };
static const char *const words_evaltime[] = { "exec", "preinit", "postinit", "main", NULL };
static const char *const words_linkmode[] = { "kernel", "static", "dynamic", NULL };
static const char *const words_linktype[] = { "elf", "dof", NULL };
static const char *const words_stdc[] = { "a", "c", "s", "t", NULL };

#define KIB 1024ull
#define MIB (1024 * KIB)
#define SEC 1000000000ull

static const struct opt {
	const char *name;
	uint8_t type;
	bool dynamic; /* may change while the session runs */
	uint64_t def;
	const char *const *words;
} opts[DT_NOPTS] = {
	[DT_OPT_AGGRATE]       = { "aggrate", T_RATE, true, SEC },
	[DT_OPT_AGGSIZE]       = { "aggsize", T_SIZE, false, 4 * MIB },
	[DT_OPT_AGGSORTKEY]    = { "aggsortkey", T_BOOL, true, 0 },
	[DT_OPT_AGGSORTKEYPOS] = { "aggsortkeypos", T_NUM, true, 0 },
	[DT_OPT_AGGSORTPOS]    = { "aggsortpos", T_NUM, true, 0 },
	[DT_OPT_AGGSORTREV]    = { "aggsortrev", T_BOOL, true, 0 },
	[DT_OPT_AGGPERCPU]     = { "aggpercpu", T_BOOL, false, 0 },
	[DT_OPT_AMIN]          = { "amin", T_TEXT, false, 0 },
	[DT_OPT_ARGREF]        = { "argref", T_BOOL, false, 0 },
	[DT_OPT_BUFPOLICY]     = { "bufpolicy", T_WORD, false, DVM_BUF_SWITCH, words_bufpolicy },
	[DT_OPT_BUFRESIZE]     = { "bufresize", T_WORD, false, 0, words_bufresize },
	[DT_OPT_BUFSIZE]       = { "bufsize", T_SIZE, false, 4 * MIB },
	[DT_OPT_CLEANRATE]     = { "cleanrate", T_RATE, false, SEC / 101 },
	[DT_OPT_CPP]           = { "cpp", T_BOOL, false, 0 },
	[DT_OPT_CPPARGS]       = { "cppargs", T_LIST, false, 0 },
	[DT_OPT_CPPHDRS]       = { "cpphdrs", T_BOOL, false, 0 },
	[DT_OPT_CPPPATH]       = { "cpppath", T_TEXT, false, 0 },
	[DT_OPT_CPU]           = { "cpu", T_NUM, false, 0 },
	[DT_OPT_CTYPES]        = { "ctypes", T_TEXT, false, 0 },
	[DT_OPT_DEBUG]         = { "debug", T_BOOL, false, 0 },
	[DT_OPT_DEFAULTARGS]   = { "defaultargs", T_BOOL, false, 0 },
	[DT_OPT_DEFINE]        = { "define", T_LIST, false, 0 },
	[DT_OPT_DESTRUCTIVE]   = { "destructive", T_BOOL, false, 0 },
	[DT_OPT_DROPTAGS]      = { "droptags", T_BOOL, false, 0 },
	[DT_OPT_DTYPES]        = { "dtypes", T_TEXT, false, 0 },
	[DT_OPT_DYNVARSIZE]    = { "dynvarsize", T_SIZE, false, 1 * MIB },
	[DT_OPT_EMPTY]         = { "empty", T_BOOL, false, 0 },
	[DT_OPT_ERRTAGS]       = { "errtags", T_BOOL, false, 0 },
	[DT_OPT_EVALTIME]      = { "evaltime", T_WORD, false, 0, words_evaltime },
	[DT_OPT_FLOWINDENT]    = { "flowindent", T_BOOL, true, 0 },
	[DT_OPT_INCDIR]        = { "incdir", T_LIST, false, 0 },
	[DT_OPT_IREGS]         = { "iregs", T_NUM, false, 0 },
	[DT_OPT_JSTACKFRAMES]  = { "jstackframes", T_NUM, false, 50 },
	[DT_OPT_JSTACKSTRSIZE] = { "jstackstrsize", T_SIZE, false, 512 },
	[DT_OPT_KNODEFS]       = { "knodefs", T_BOOL, false, 0 },
	[DT_OPT_LAZYLOAD]      = { "lazyload", T_BOOL, false, 0 },
	[DT_OPT_LIBDIR]        = { "libdir", T_LIST, false, 0 },
	[DT_OPT_LINKMODE]      = { "linkmode", T_WORD, false, 0, words_linkmode },
	[DT_OPT_LINKTYPE]      = { "linktype", T_WORD, false, 0, words_linktype },
	[DT_OPT_MAXFRAMES]     = { "maxframes", T_NUM, false, 127 },
	[DT_OPT_NOLIBS]        = { "nolibs", T_BOOL, false, 0 },
	[DT_OPT_NORESOLVE]     = { "noresolve", T_BOOL, false, 0 },
	[DT_OPT_NSPEC]         = { "nspec", T_NUM, false, 1 },
	[DT_OPT_PGMAX]         = { "pgmax", T_NUM, false, 8 },
	[DT_OPT_PSPEC]         = { "pspec", T_BOOL, false, 0 },
	[DT_OPT_PRINTSIZE]     = { "printsize", T_SIZE, true, 8 * KIB },
	[DT_OPT_QUIET]         = { "quiet", T_BOOL, true, 0 },
	[DT_OPT_QUIETRESIZE]   = { "quietresize", T_BOOL, true, 0 },
	[DT_OPT_RAWBYTES]      = { "rawbytes", T_BOOL, true, 0 },
	[DT_OPT_RECORD]        = { "record", T_TEXT, false, 0 },
	[DT_OPT_SCRATCHSIZE]   = { "scratchsize", T_SIZE, false, 256 * KIB },
	[DT_OPT_SPECSIZE]      = { "specsize", T_SIZE, false, 32 * KIB },
	[DT_OPT_STACKFRAMES]   = { "stackframes", T_NUM, false, 20 },
	[DT_OPT_STACKINDENT]   = { "stackindent", T_NUM, true, 14 },
	[DT_OPT_STATUSRATE]    = { "statusrate", T_RATE, false, SEC },
	[DT_OPT_STDC]          = { "stdc", T_WORD, false, 0, words_stdc },
	[DT_OPT_STRSIZE]       = { "strsize", T_SIZE, false, 256 },
	[DT_OPT_STRIP]         = { "strip", T_BOOL, false, 0 },
	[DT_OPT_SWITCHRATE]    = { "switchrate", T_RATE, true, SEC },
	[DT_OPT_SYSLIBDIR]     = { "syslibdir", T_TEXT, false, 0 },
	[DT_OPT_TREE]          = { "tree", T_NUM, false, 0 },
	[DT_OPT_TREGS]         = { "tregs", T_NUM, false, 0 },
	[DT_OPT_UDEFS]         = { "udefs", T_BOOL, false, 0 },
	[DT_OPT_UNDEF]         = { "undef", T_LIST, false, 0 },
	[DT_OPT_UNODEFS]       = { "unodefs", T_BOOL, false, 0 },
	[DT_OPT_USTACKFRAMES]  = { "ustackframes", T_NUM, false, 100 },
	[DT_OPT_VERBOSE]       = { "verbose", T_BOOL, false, 0 },
	[DT_OPT_VERSION]       = { "version", T_TEXT, false, 0 },
	[DT_OPT_ZDEFS]         = { "zdefs", T_BOOL, false, 0 },
};

void dt_opts_init(struct dt_opts *o)
{
	memset(o, 0, sizeof(*o));
	for (int i = 0; i < DT_NOPTS; i++)
		o->val[i] = opts[i].def;
}

void dt_opts_free(struct dt_opts *o)
{
	for (int i = 0; i < DT_NOPTS; i++)
		free(o->str[i]);
	memset(o->str, 0, sizeof(o->str));
}

static int opt_find(const char *name)
{
	for (int i = 0; i < DT_NOPTS; i++) {
		if (!strcmp(opts[i].name, name))
			return i;
	}
	return -1;
}

bool dt_opt_dynamic(const char *name)
{
	int i = opt_find(name);

	return i >= 0 && opts[i].dynamic;
}

/* An unsigned number in C's notation, *end behind it. Signs are refused: strtoull would take them. */
static bool parse_num(const char *s, uint64_t *v, const char **end)
{
	char *e;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*v = strtoull(s, &e, 0);
	*end = e;
	return errno == 0 && *v <= INT64_MAX;
}

static bool scale(uint64_t *v, uint64_t mul)
{
	return !__builtin_mul_overflow(*v, mul, v) && *v <= INT64_MAX;
}

static bool parse_bool(const char *s, uint64_t *v)
{
	static const char *const on[] = { "yes", "enable", "enabled", "true", "on", "set" };
	static const char *const off[] = { "no", "disable", "disabled", "false", "off", "unset", "" };
	const char *end;

	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		if (!strcasecmp(s, on[i])) {
			*v = 1;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		if (!strcasecmp(s, off[i])) {
			*v = 0;
			return true;
		}
	}
	if (!parse_num(s, v, &end) || *end)
		return false;
	*v = *v != 0;
	return true;
}

static bool parse_size(const char *s, uint64_t *v)
{
	static const char suffix[] = "kmgt";
	const char *end, *p;

	if (!parse_num(s, v, &end))
		return false;
	if (!*end)
		return true;
	p = strchr(suffix, tolower((unsigned char)*end));
	return p && *p && !end[1] && scale(v, UINT64_C(1) << 10 * (p - suffix + 1));
}

static bool parse_rate(const char *s, uint64_t *v)
{
	static const struct { const char *name; uint64_t ns; } unit[] = {
		{ "", 1 }, { "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 }, { "msec", 1000000 },
		{ "s", SEC }, { "sec", SEC }, { "m", 60 * SEC }, { "min", 60 * SEC }, { "h", 3600 * SEC }, { "hour", 3600 * SEC },
		{ "d", 86400 * SEC }, { "day", 86400 * SEC },
	};
	const char *end;

	if (!parse_num(s, v, &end))
		return false;
	if (!strcasecmp(end, "hz")) {
		*v = *v ? SEC / *v : 0;
		return true;
	}
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		if (!strcasecmp(end, unit[i].name))
			return scale(v, unit[i].ns);
	}
	return false;
}

static bool parse_word(const char *s, const char *const *words, uint64_t *v)
{
	for (unsigned i = 0; words[i]; i++) {
		if (!strcmp(words[i], s)) {
			*v = i;
			return true;
		}
	}
	return false;
}

/* What the machine can work with, whatever the notation allows. */
static bool in_range(int i, uint64_t v)
{
	switch (i) {
	case DT_OPT_STRSIZE:
		return v >= 2 && v <= 1 * MIB;
	case DT_OPT_BUFSIZE:
	case DT_OPT_AGGSIZE:
	case DT_OPT_DYNVARSIZE:
	case DT_OPT_SCRATCHSIZE:
		return v <= UINT32_MAX;
	default:
		return true;
	}
}

static int set_text(struct dt_opts *o, int i, const char *value, struct err *e)
{
	char *s;

	if (opts[i].type == T_LIST && o->str[i]) {
		if (asprintf(&s, "%s\n%s", o->str[i], value) < 0)
			s = NULL;
	} else {
		s = strdup(value);
	}
	if (!s)
		return err_set(e, ENOMEM, "option %s", opts[i].name);
	free(o->str[i]);
	o->str[i] = s;
	return 0;
}

int dt_opt_set(struct dt_opts *o, const char *name, const char *value, struct err *e)
{
	int i = opt_find(name);
	uint64_t v = 1;
	const char *end;
	bool ok;

	if (i < 0)
		return err_msg(e, EINVAL, "Invalid option name");
	switch ((enum opt_type)opts[i].type) {
	case T_BOOL:
		ok = !value || parse_bool(value, &v);
		break;
	case T_NUM:
		ok = value && parse_num(value, &v, &end) && !*end;
		break;
	case T_SIZE:
		ok = value && parse_size(value, &v);
		break;
	case T_RATE:
		ok = value && parse_rate(value, &v);
		break;
	case T_WORD:
		ok = value && parse_word(value, opts[i].words, &v);
		break;
	case T_TEXT:
	case T_LIST:
		ok = value;
		if (ok && set_text(o, i, value, e) < 0)
			return -ENOMEM;
		break;
	default:
		ok = false;
	}
	if (!ok || !in_range(i, v))
		return err_msg(e, EINVAL, "Invalid value for specified option");
	o->val[i] = v;
	o->set[i] = true;
	/* Two names of one switch each. */
	if (i == DT_OPT_UDEFS || i == DT_OPT_UNODEFS)
		o->val[i == DT_OPT_UDEFS ? DT_OPT_UNODEFS : DT_OPT_UDEFS] = !v;
	return 0;
}

int dt_opts_from_env(struct dt_opts *o, struct err *e)
{
	char var[64] = "DTRACE_OPT_";
	size_t n = strlen(var);

	for (int i = 0; i < DT_NOPTS; i++) {
		const char *value, *s = opts[i].name;
		int r;

		for (size_t k = n;; k++, s++) {
			var[k] = (char)toupper((unsigned char)*s);
			if (!*s)
				break;
		}
		value = getenv(var);
		if (!value)
			continue;
		r = dt_opt_set(o, opts[i].name, *value || opts[i].type != T_BOOL ? value : NULL, e);
		if (r < 0)
			return err_wrap(e, "failed to set %s", var);
	}
	return 0;
}
