/* A brand: what a zone's guests believe they run on. One file each (lx.c, native.c) that fills a table of attributes; the
 * attributes that every brand has are in brand.c. */
#ifndef BRAND_BRAND_H
#define BRAND_BRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "brand/zone_config.h"
#include "common/host/err.h"
#include "lx_syscall/world.h"

/* What a zone's attributes come to. */
struct brand_settings {
	const struct brand *brand;
	struct lx_world world;
	char hostname[65];   /* "" = the zone's name */
	char domainname[65]; /* "" = the host's */
	bool trap_ptrace;    /* emulated calls are caught by the tracer, not by user notification */
	bool proc_plain;     /* /proc is the kernel's own, without views of the world */
};

struct brand_attr {
	const char *name;
	const char *value; /* form of the value, for the help page */
	const char *help;
	int (*set)(struct brand_settings *s, const char *value, struct err *e);
};

struct brand {
	const char *name;
	const char *help;
	const struct brand_attr *attr; /* ends with a NULL name */
};

extern const struct brand brand_lx, brand_native;

/* The settings that a zone's attributes ask for. Refuses unknown attributes and bad values, naming them. LXZONE_WITHOUT is
 * honoured (notify). */
int brand_settings_make(const struct zone_config *c, struct brand_settings *s, struct err *e);

/* One line per brand and attribute, for --help. */
void brand_help(FILE *out);

/* True if LXZONE_WITHOUT (a comma-separated list) names this host feature: it is to be treated as missing. */
bool brand_without(const char *feature);

#endif
