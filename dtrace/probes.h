/* The probes a session can enable, and how descriptions match them. A provider is one table of functions in one file
 * (provider_<name>.c); it lists its probes when first asked and may make probes on demand (tick-5s). */
#ifndef DTRACE_PROBES_H
#define DTRACE_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/host/err.h"

struct dt_pdesc { /* PROV:MOD:FUNC:NAME; an empty part matches anything; parts are globs (* ? [ ] and \) */
	char prov[64], mod[128], func[128], name[128];
	uint32_t id;  /* != 0: the probe of that id (dtrace -i) */
};

struct dt_probe {
	uint32_t id;  /* BEGIN 1, END 2, ERROR 3, then in the order of creation */
	const char *prov, *mod, *func, *name;
	uint8_t kind; /* enum dvm_probe_kind */
	uint8_t abi;  /* enum lx_abi */
	uint16_t row; /* lx_rows[] index */
	uint64_t period_ns;
	const struct dt_provider *provider;
};

struct dt_probes;

struct dt_provider {
	const char *name;
	const char *alias;     /* another spelling of the provider that descriptions may use, or NULL */
	const char *mod_alias; /* a module name that matches any of its modules, or NULL */
	int (*list)(struct dt_probes *ps, struct err *e);                              /* adds all fixed probes */
	int (*make)(struct dt_probes *ps, const struct dt_pdesc *d, struct err *e);    /* on demand, may be NULL */
	/* Type of args[n] ("struct stat *"), NULL if there is none; native: what args[] have. */
	const char *(*argtype)(const struct dt_probe *p, unsigned n);
};

struct dt_probes *dt_probes_new(void);
void dt_probes_free(struct dt_probes *ps);
const struct dt_probe *dt_probe_add(struct dt_probes *ps, const struct dt_probe *p); /* copies strings, gives the id; NULL: no memory */
const struct dt_probe *dt_probe_by_id(struct dt_probes *ps, uint32_t id);
unsigned dt_probes_count(struct dt_probes *ps);

/* "a:b:c:d", "c:d" (parts fill from the right), "d"; surrounding blanks are cut. D_PDESC_INVAL as tag on error. */
int dt_pdesc_parse(const char *text, struct dt_pdesc *d, struct err *e);
/* Calls fn for each probe that d matches, in id order; returns how many, or -errno (also fn's, if it is negative). */
int dt_probes_match(struct dt_probes *ps, const struct dt_pdesc *d, int (*fn)(const struct dt_probe *p, void *arg), void *arg,
		    struct err *e);

#endif
