/* The providers that exist, one file each; probes.c asks them in the order of dt_providers[]. */
#ifndef DTRACE_PROVIDER_IMPL_H
#define DTRACE_PROVIDER_IMPL_H

#include "dtrace/probes.h"

extern const struct dt_provider dt_provider_dtrace, dt_provider_syscall, dt_provider_profile;

/* A description's part against a name: empty matches all, else a glob. */
bool dt_part_match(const char *pattern, const char *name);

/* True if the part holds no glob characters, so that it can name one thing only. */
bool dt_part_exact(const char *pattern);

/* The probe of exactly this name among those made so far, NULL if there is none. */
const struct dt_probe *dt_probe_find(struct dt_probes *ps, const char *prov, const char *mod, const char *func, const char *name);

#endif
