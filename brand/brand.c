/* Attributes (--set) to settings: the list of brands and what all of them understand. */
#include "brand/brand.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct brand *const brands[] = {&brand_lx, &brand_native};

#define NBRANDS (sizeof(brands) / sizeof(brands[0]))

bool brand_without(const char *feature)
{
	const char *p = getenv("LXZONE_WITHOUT");
	size_t n = strlen(feature);

	while (p && *p) {
		size_t len = strcspn(p, ",");

		if (len == n && !strncmp(p, feature, n))
			return true;
		p += len + (p[len] == ',');
	}
	return false;
}

/* A name that sethostname(2) takes and that needs no quoting anywhere. */
static int set_label(char out[65], const char *value, struct err *e)
{
	size_t n = strlen(value);
	bool good = n > 0 && n < 65;

	for (size_t i = 0; good && i < n; i++)
		good = isalnum((unsigned char)value[i]) || strchr(".-_", value[i]);
	if (!good)
		return err_msg(e, EINVAL, "'%s' is not a name of up to 64 letters, digits, '.', '-', '_'", value);
	memcpy(out, value, n + 1);
	return 0;
}

static int set_hostname(struct brand_settings *s, const char *value, struct err *e)
{
	return set_label(s->hostname, value, e);
}

static int set_domainname(struct brand_settings *s, const char *value, struct err *e)
{
	return set_label(s->domainname, value, e);
}

static int set_trap(struct brand_settings *s, const char *value, struct err *e)
{
	if (strcmp(value, "notify") && strcmp(value, "ptrace"))
		return err_msg(e, EINVAL, "'%s' is neither notify nor ptrace", value);
	s->trap_ptrace = !strcmp(value, "ptrace");
	return 0;
}

static int set_proc(struct brand_settings *s, const char *value, struct err *e)
{
	if (strcmp(value, "plain") && strcmp(value, "world"))
		return err_msg(e, EINVAL, "'%s' is neither plain nor world", value);
	s->proc_plain = !strcmp(value, "plain");
	return 0;
}

static int set_brand(struct brand_settings *s, const char *value, struct err *e)
{
	return 0; /* read before the others */
}

static const struct brand_attr common[] = {
	{"brand", "lx|native", "what guests believe they run on", set_brand},
	{"hostname", "NAME", "the zone's host name (default: its own name)", set_hostname},
	{"domainname", "NAME", "its NIS domain name", set_domainname},
	{"trap", "notify|ptrace", "how emulated calls are caught", set_trap},
	{"proc", "world|plain", "plain: the kernel's own /proc, for guests that sandbox themselves", set_proc},
	{NULL},
};

static const struct brand_attr *attr_find(const struct brand_attr *a, const char *name)
{
	for (; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

static int choose(const struct zone_config *c, struct brand_settings *s, struct err *e)
{
	const char *name = zone_config_get(c, "brand");

	for (size_t i = 0; i < NBRANDS; i++)
		if (!strcmp(brands[i]->name, name ? name : "lx")) {
			s->brand = brands[i];
			return 0;
		}
	return err_msg(e, EINVAL, "--set brand: there is no brand '%s', only lx and native", name);
}

int brand_settings_make(const struct zone_config *c, struct brand_settings *s, struct err *e)
{
	struct timespec now;
	int r;

	memset(s, 0, sizeof(*s));
	clock_gettime(CLOCK_BOOTTIME, &now);
	s->world.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	s->trap_ptrace = brand_without("notify");
	r = choose(c, s, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < c->nattr; i++) {
		const struct brand_attr *a = attr_find(common, c->attr[i].key);

		if (!a)
			a = attr_find(s->brand->attr, c->attr[i].key);
		if (!a)
			return err_msg(e, EINVAL, "--set: brand %s has no attribute '%s' ('zonectl run --help' lists them)",
				       s->brand->name, c->attr[i].key);
		r = a->set(s, c->attr[i].value, e);
		if (r < 0)
			return err_wrap(e, "--set %s", a->name);
	}
	return 0;
}

static void help_attrs(FILE *out, const struct brand_attr *a)
{
	for (; a->name; a++) {
		char left[64];

		snprintf(left, sizeof(left), "%s=%s", a->name, a->value);
		fprintf(out, "  %-26s %s\n", left, a->help);
	}
}

void brand_help(FILE *out)
{
	fputs("attributes (--set):\n", out);
	help_attrs(out, common);
	for (size_t i = 0; i < NBRANDS; i++) {
		if (!brands[i]->attr->name)
			continue;
		fprintf(out, "attributes of brand %s (%s):\n", brands[i]->name, brands[i]->help);
		help_attrs(out, brands[i]->attr);
	}
}
