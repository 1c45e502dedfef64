/* Brand lx: a Linux of a chosen version, number of processors and size of memory. */
#include "brand/brand.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* "4.4", "4.4.0", "2.6.32-754.el6.x86_64": the numbers decide which calls exist, the text is what uname shows. */
static int set_kernel_version(struct brand_settings *s, const char *value, struct err *e)
{
	unsigned long part[3] = {0};
	const char *p = value;
	unsigned n = 0;

	while (n < 3 && isdigit((unsigned char)*p)) {
		char *end;

		part[n] = strtoul(p, &end, 10);
		if (part[n++] > 255)
			n = 4;
		p = end;
		if (*p != '.' || !isdigit((unsigned char)p[1]))
			break;
		p++;
	}
	for (const char *q = p; *q; q++)
		if (!isalnum((unsigned char)*q) && !strchr("._+~-", *q))
			n = 0;
	if (n < 2 || n > 3 || (*p && !strchr("-+~.", *p)) || strlen(value) > 60 || part[0] < 1)
		return err_msg(e, EINVAL, "'%s' is not a kernel version such as 4.4.0 or 2.6.32-754.el6.x86_64", value);
	s->world.version = LX_VERSION(part[0], part[1], part[2]);
	if (n == 2) /* no kernel calls itself so: x.y is the family, x.y.0 its first */
		snprintf(s->world.release, sizeof(s->world.release), "%lu.%lu.0%s", part[0], part[1], p);
	else
		snprintf(s->world.release, sizeof(s->world.release), "%s", value);
	return 0;
}

/* The first n of the CPUs that the caller may use: guests are bound to them, since getcpu and clocks do not trap. */
static int set_cpus(struct brand_settings *s, const char *value, struct err *e)
{
	unsigned long n, have = 0;
	cpu_set_t set;
	char *end;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || n < 1 || n > 1024)
		return err_msg(e, EINVAL, "'%s' is not a number of processors", value);
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return err_set(e, errno, "sched_getaffinity");
	memset(s->world.cpu_mask, 0, sizeof(s->world.cpu_mask));
	for (unsigned i = 0; i < CPU_SETSIZE && have < n; i++)
		if (CPU_ISSET(i, &set)) {
			s->world.cpu_mask[i / 64] |= 1ull << i % 64;
			have++;
		}
	if (have < n)
		return err_msg(e, EINVAL, "%lu processors are more than the %lu that this host lets us use", n, have);
	s->world.cpus = (uint32_t)n;
	return 0;
}

static int set_memory(struct brand_settings *s, const char *value, struct err *e)
{
	static const char units[] = "kmgt";
	unsigned long long n;
	const char *u;
	unsigned shift = 0;
	char *end;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (*end) {
		u = strchr(units, tolower((unsigned char)*end));
		shift = u ? 10 * (unsigned)(u - units + 1) : 0;
		end += u ? 1 : 0;
	}
	if (!isdigit((unsigned char)*value) || *end || errno || n == 0 || n > (1ull << 50) >> shift || n << shift < 1 << 20)
		return err_msg(e, EINVAL, "'%s' is not a size of memory such as 512m or 2g (at least 1m)", value);
	s->world.memory = n << shift;
	return 0;
}

static const struct brand_attr attrs[] = {
	{"kernel-version", "X.Y[.Z][-TEXT]", "the kernel that guests see; newer calls are missing", set_kernel_version},
	{"cpus", "N", "processors that guests see and are bound to", set_cpus},
	{"memory", "SIZE[k|m|g|t]", "memory that guests see", set_memory},
	{NULL},
};

const struct brand brand_lx = {"lx", "a Linux of a chosen version", attrs};
