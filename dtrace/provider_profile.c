/* Provider profile: tick-N fires once per period in the tracer, profile-N on every guest that is on a CPU then. Any rate can
 * be asked for and is made when it is; a few usual ones are always listed. A number without a unit is a rate per second. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "dtrace/provider_impl.h"
#include "dvm/image.h"

#define PERIOD_MIN 200000u                /* ns: what a tracer can keep up with */
#define PERIOD_MAX (UINT64_C(1) << 62)

static const struct { const char *name; uint64_t ns; } units[] = {
	{ "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 }, { "msec", 1000000 },
	{ "s", 1000000000 }, { "sec", 1000000000 }, { "m", 60000000000 }, { "min", 60000000000 },
	{ "h", 3600000000000 }, { "hour", 3600000000000 }, { "d", 86400000000000 }, { "day", 86400000000000 },
	{ "hz", 0 }, { "", 0 },
};

/* Period of "100hz" or "5s" in ns; 0 if it is none. */
static uint64_t period_parse(const char *s)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*s))
		return 0;
	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno || n == 0)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		if (!units[i].ns)
			return 1000000000 / n;
		return n > PERIOD_MAX / units[i].ns ? 0 : n * units[i].ns;
	}
	return 0;
}

static int profile_add(struct dt_probes *ps, const char *name, uint8_t kind, uint64_t period, struct err *e)
{
	struct dt_probe p = {
		.prov = "profile", .mod = "", .func = "", .name = name, .kind = kind,
		.period_ns = period, .provider = &dt_provider_profile,
	};

	return dt_probe_add(ps, &p) ? 0 : err_set(e, ENOMEM, "probe %s", name);
}

static int profile_list(struct dt_probes *ps, struct err *e)
{
	static const unsigned profile_hz[] = { 97, 199, 499, 997, 1999, 4001, 4999 };
	static const unsigned tick_hz[] = { 1, 10, 100, 500, 1000, 5000 };
	char name[32];
	int r = 0;

	for (size_t i = 0; !r && i < sizeof(profile_hz) / sizeof(profile_hz[0]); i++) {
		snprintf(name, sizeof(name), "profile-%u", profile_hz[i]);
		r = profile_add(ps, name, DVM_P_PROFILE, 1000000000 / profile_hz[i], e);
	}
	for (size_t i = 0; !r && i < sizeof(tick_hz) / sizeof(tick_hz[0]); i++) {
		snprintf(name, sizeof(name), "tick-%u", tick_hz[i]);
		r = profile_add(ps, name, DVM_P_TICK, 1000000000 / tick_hz[i], e);
	}
	return r;
}

static int profile_make(struct dt_probes *ps, const struct dt_pdesc *d, struct err *e)
{
	uint64_t period;
	uint8_t kind;

	if (!dt_part_match(d->prov, "profile") || !dt_part_match(d->mod, "") || !dt_part_match(d->func, ""))
		return 0;
	if (!strncmp(d->name, "tick-", 5))
		kind = DVM_P_TICK, period = period_parse(d->name + 5);
	else if (!strncmp(d->name, "profile-", 8))
		kind = DVM_P_PROFILE, period = period_parse(d->name + 8);
	else
		return 0;
	if (period < PERIOD_MIN || period > PERIOD_MAX)
		return 0;
	if (dt_probe_find(ps, "profile", "", "", d->name))
		return 0;
	return profile_add(ps, d->name, kind, period, e);
}

const struct dt_provider dt_provider_profile = {
	.name = "profile",
	.list = profile_list,
	.make = profile_make,
};
