/* The D functions for path names and Internet addresses. */
#include "dvm/dvm_impl.h"

/* Bytes of p without trailing slashes. */
static uint32_t trim(const char *p, uint32_t n)
{
	while (n && p[n - 1] == '/')
		n--;
	return n;
}

/* basename(3P): "" is ".", all slashes are "/". */
static uint64_t base_name(struct mach *s, const char *p, uint32_t n)
{
	uint32_t end = trim(p, n), start;

	if (!n)
		return mem_str_new(s, ".", 1);
	if (!end)
		return mem_str_new(s, "/", 1);
	for (start = end; start && p[start - 1] != '/'; start--)
		;
	return mem_str_new(s, p + start, end - start);
}

/* dirname(3P). */
static uint64_t dir_name(struct mach *s, const char *p, uint32_t n)
{
	uint32_t end = trim(p, n);

	if (n && !end)
		return mem_str_new(s, "/", 1);
	while (end && p[end - 1] != '/')
		end--;
	if (!end)
		return mem_str_new(s, ".", 1);
	end = trim(p, end);
	return end ? mem_str_new(s, p, end) : mem_str_new(s, "/", 1);
}

/* Lexically: "//" and "/./" become "/", "/x/../" becomes "/". What comes before the first slash counts as a component to
 * go back over; a final "/." stays, a final "/.." leaves a slash. */
static uint64_t clean_path(struct mach *s, const char *p, uint32_t n)
{
	char *d = mem_str_room(s, n + 1);
	uint32_t i = 0, j = 0;

	if (!d)
		return 0;
	while (i < n) {
		uint32_t k;

		if (p[i] != '/') {
			d[j++] = p[i++];
			continue;
		}
		for (k = i + 1; k < n && p[k] != '/'; k++)
			;
		if (k == i + 1 && k < n) { /* "//" */
			i = k;
		} else if (k == i + 2 && p[i + 1] == '.' && k < n) { /* "/./" */
			i = k;
		} else if (k == i + 3 && p[i + 1] == '.' && p[i + 2] == '.') { /* "/../", "/.." */
			while (j && d[--j] != '/')
				;
			if (k == n)
				d[j++] = '/';
			i = k;
		} else {
			while (i < k)
				d[j++] = p[i++];
		}
	}
	if (j > s->m->opts.strsize - 1)
		j = s->m->opts.strsize - 1;
	return mem_str_done(s, j);
}

static void put_ipv4(char *t, size_t cap, size_t *pos, const uint8_t *p)
{
	for (int i = 0; i < 4; i++) {
		base_putu(t, cap, pos, p[i], 10);
		if (i < 3)
			base_puts(t, cap, pos, ".");
	}
}

/* As inet_ntop(3) does it: the longest run of two or more zero groups is "::", embedded IPv4 addresses are dotted. */
static void put_ipv6(char *t, size_t cap, size_t *pos, const uint8_t *p)
{
	int best = -1, bestlen = 1;

	for (int i = 0, len; i < 8; i += len ? len : 1) {
		for (len = 0; i + len < 8 && !p[2 * (i + len)] && !p[2 * (i + len) + 1]; len++)
			;
		if (len > bestlen) {
			best = i;
			bestlen = len;
		}
	}
	for (int i = 0; i < 8; i++) {
		if (i == best) {
			base_puts(t, cap, pos, "::");
			i += bestlen - 1;
			continue;
		}
		if (i && i != best + (best >= 0 ? bestlen : 0))
			base_puts(t, cap, pos, ":");
		if (i == 6 && best == 0 && (bestlen == 6 || (bestlen == 5 && p[10] == 0xff && p[11] == 0xff))) {
			put_ipv4(t, cap, pos, p + 12);
			break;
		}
		base_putu(t, cap, pos, (uint64_t)p[2 * i] << 8 | p[2 * i + 1], 16);
	}
}

static uint64_t inet_text(struct mach *s, uint64_t addr, bool v6)
{
	const uint8_t *p = mem_at(s, addr, v6 ? 16 : 4, false);
	uint8_t a[16] = { 0 };
	char t[64];
	size_t n = 0;

	if (!p)
		return 0;
	base_memcpy(a, p, v6 ? 16 : 4);
	if (v6)
		put_ipv6(t, sizeof(t), &n, a);
	else
		put_ipv4(t, sizeof(t), &n, a);
	if (n > s->m->opts.strsize - 1)
		n = s->m->opts.strsize - 1;
	return mem_str_new(s, t, (uint32_t)n);
}

uint64_t pathfunc_call(struct mach *s, uint32_t f, const uint64_t *a)
{
	enum { INET = 2, INET6 = 10 }; /* Linux's AF_INET and AF_INET6 */
	uint32_t n;
	const char *p;

	if (f == DVM_F_INET_NTOA || f == DVM_F_INET_NTOA6)
		return inet_text(s, a[0], f == DVM_F_INET_NTOA6);
	if (f == DVM_F_INET_NTOP) {
		if (a[0] != INET && a[0] != INET6) {
			mach_fault(s, DVM_FLT_ILLOP, 0);
			return 0;
		}
		return inet_text(s, a[1], a[0] == INET6);
	}
	p = mem_str(s, a[0], &n);
	if (!p)
		return 0;
	if (f == DVM_F_BASENAME)
		return base_name(s, p, n);
	return f == DVM_F_DIRNAME ? dir_name(s, p, n) : clean_path(s, p, n);
}
