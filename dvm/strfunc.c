/* The D string functions. Every string is bounded by strsize; results are new strings. Work is linear in the strings' lengths. */
#include "dvm/dvm_impl.h"

/* Place of needle in hay[from..], or -1. Rabin-Karp: a rolling hash with a base that guests can't foresee, so that no input
 * makes it quadratic. */
static int64_t find(const struct mach *s, const char *hay, uint32_t n, const char *needle, uint32_t k, uint32_t from)
{
	uint64_t base = (s->ev->timestamp << 1 | 1) * 0x9e3779b97f4a7c15ull % 0x7ffffff1 + 257, want = 0, have = 0, top = 1;

	if (from > n || k > n - from)
		return -1;
	for (uint32_t i = 0; i < k; i++) {
		want = (want * base + (uint8_t)needle[i]) % 0x7fffffff;
		have = (have * base + (uint8_t)hay[from + i]) % 0x7fffffff;
		top = i ? top * base % 0x7fffffff : 1;
	}
	for (uint32_t i = from;; i++) {
		if (have == want && !base_memcmp(hay + i, needle, k))
			return i;
		if (i + k >= n)
			return -1;
		have = (have + 0x7fffffffull * 256 - top * (uint8_t)hay[i] % 0x7fffffff) % 0x7fffffff;
		have = (have * base + (uint8_t)hay[i + k]) % 0x7fffffff;
	}
}

/* Last place of needle at or before `last`, or -1: the first place in the reversed strings, without reversing them. */
static int64_t rfind(const struct mach *s, const char *hay, uint32_t n, const char *needle, uint32_t k, uint32_t last)
{
	uint64_t base = (s->ev->timestamp << 1 | 1) * 0x9e3779b97f4a7c15ull % 0x7ffffff1 + 257, want = 0, have = 0, top = 1;
	uint32_t at;

	if (k > n)
		return -1;
	at = last < n - k ? last : n - k;
	for (uint32_t i = k; i-- > 0;) {
		want = (want * base + (uint8_t)needle[i]) % 0x7fffffff;
		have = (have * base + (uint8_t)hay[at + i]) % 0x7fffffff;
		top = i + 1 < k ? top * base % 0x7fffffff : 1;
	}
	for (;; at--) {
		if (have == want && !base_memcmp(hay + at, needle, k))
			return at;
		if (!at)
			return -1;
		if (k) {
			have = (have + 0x7fffffffull * 256 - top * (uint8_t)hay[at + k - 1] % 0x7fffffff) % 0x7fffffff;
			have = (have * base + (uint8_t)hay[at - 1]) % 0x7fffffff;
		}
	}
}

static uint64_t str_index(struct mach *s, uint64_t hay, uint64_t needle, int64_t pos, uint32_t f)
{
	uint32_t n, k;
	const char *h = mem_str(s, hay, &n), *d = mem_str(s, needle, &k);

	if (!h || !d)
		return 0;
	if (f == DVM_F_INDEX) /* as in Perl: a start out of the string is moved to its nearest end */
		return (uint64_t)find(s, h, n, d, k, pos < 0 ? 0 : pos < n ? (uint32_t)pos : n);
	if (pos < 0)
		return k ? (uint64_t)-1 : 0;
	return (uint64_t)rfind(s, h, n, d, k, pos < n ? (uint32_t)pos : n);
}

static uint64_t str_str(struct mach *s, uint64_t hay, uint64_t needle)
{
	uint32_t n, k;
	const char *h = mem_str(s, hay, &n), *d = mem_str(s, needle, &k);
	int64_t at;

	if (!h || !d)
		return 0;
	at = find(s, h, n, d, k, 0);
	return at < 0 ? 0 : mem_str_new(s, h + at, n - (uint32_t)at);
}

static uint64_t str_chr(struct mach *s, uint64_t str, uint8_t c, bool last)
{
	uint32_t n, at;
	const char *p = mem_str(s, str, &n);

	if (!p)
		return 0;
	if (!c)
		return mem_str_new(s, p + n, 0);
	if (last) {
		for (at = n; at > 0 && (uint8_t)p[at - 1] != c; at--)
			;
		return at ? mem_str_new(s, p + at - 1, n - at + 1) : 0;
	}
	for (at = 0; at < n && (uint8_t)p[at] != c; at++)
		;
	return at < n ? mem_str_new(s, p + at, n - at) : 0;
}

/* The string is kept for later calls with NULL in the same firing. */
static uint64_t str_tok(struct mach *s, uint64_t str, uint64_t delim)
{
	uint8_t is[32] = { 0 };
	uint32_t n, start, end;
	const char *p = mem_str(s, delim, &n);

	if (!p)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		is[(uint8_t)p[i] >> 3] |= (uint8_t)(1u << (p[i] & 7));
	if (str) {
		p = mem_str(s, str, &n);
		if (!p)
			return 0;
		base_memcpy(s->tok, p, n);
		s->tok_len = n;
		s->tok_pos = 0;
	}
#define IS_DELIM(i) (is[(uint8_t)s->tok[i] >> 3] >> (s->tok[i] & 7) & 1)
	for (start = s->tok_pos; start < s->tok_len && IS_DELIM(start); start++)
		;
	for (end = start; end < s->tok_len && !IS_DELIM(end); end++)
		;
#undef IS_DELIM
	s->tok_pos = end < s->tok_len ? end + 1 : end;
	return end > start ? mem_str_new(s, s->tok + start, end - start) : 0;
}

static uint64_t str_join(struct mach *s, uint64_t a, uint64_t b)
{
	uint32_t n, k, max = s->m->opts.strsize - 1;
	const char *p = mem_str(s, a, &n), *q = mem_str(s, b, &k);
	char *d;

	if (!p || !q)
		return 0;
	if (k > max - n)
		k = max - n;
	d = mem_str_room(s, n + k);
	if (!d)
		return 0;
	base_memcpy(d, p, n);
	base_memcpy(d + n, q, k);
	return mem_str_done(s, n + k);
}

/* As Perl's substr(): a negative index counts from the end, a negative count leaves so many off the end. */
static uint64_t sub_str(struct mach *s, uint64_t str, int64_t index, int64_t count)
{
	uint32_t n;
	const char *p = mem_str(s, str, &n);
	int64_t len, end;

	if (!p)
		return 0;
	len = n;
	if (index < 0) {
		index = index < -len - INT32_MAX ? -(int64_t)INT32_MAX : index + len;
	}
	if (index > len)
		index = len;
	if (count < 0)
		end = count < -len ? 0 : len + count;
	else
		end = count > len - index ? len : index + count;
	if (index < 0)
		index = 0;
	if (end < index)
		end = index;
	return mem_str_new(s, p + index, (uint32_t)(end - index));
}

static uint64_t str_case(struct mach *s, uint64_t str, bool upper)
{
	uint32_t n;
	const char *p = mem_str(s, str, &n);
	char *d = p ? mem_str_room(s, n) : NULL;

	if (!d)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		char c = p[i], first = upper ? 'a' : 'A';

		d[i] = (uint8_t)(c - first) < 26 ? (char)(c ^ 0x20) : c;
	}
	return mem_str_done(s, n);
}

/* Base 10 is signed, others are not; 8 and 16 carry their prefix. */
static uint64_t ll_to_str(struct mach *s, uint64_t v, uint64_t base)
{
	char t[72];
	size_t n = 0;

	if (base < 2 || base > 36) {
		mach_fault(s, DVM_FLT_ILLOP, 0);
		return 0;
	}
	if (base == 16 || (base == 8 && v))
		base_puts(t, sizeof(t), &n, base == 16 ? "0x" : "0");
	if (base == 10)
		base_puti(t, sizeof(t), &n, (int64_t)v);
	else
		base_putu(t, sizeof(t), &n, v, (unsigned)base);
	if (n > s->m->opts.strsize - 1)
		n = s->m->opts.strsize - 1;
	return mem_str_new(s, t, (uint32_t)n);
}

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10 : 99;
}

static uint64_t str_to_ll(struct mach *s, uint64_t str, uint64_t base)
{
	uint32_t n, i = 0;
	const char *p = mem_str(s, str, &n);
	uint64_t v = 0;
	bool neg;

	if (!p)
		return 0;
	if (base < 2 || base > 36) {
		mach_fault(s, DVM_FLT_ILLOP, 0);
		return 0;
	}
	while (i < n && (p[i] == ' ' || (p[i] >= '\t' && p[i] <= '\r')))
		i++;
	neg = i < n && p[i] == '-';
	if (i < n && (p[i] == '-' || p[i] == '+'))
		i++;
	if (base == 16 && n - i > 2 && p[i] == '0' && (p[i + 1] | 0x20) == 'x' && digit(p[i + 2]) < 16)
		i += 2;
	for (; i < n && digit(p[i]) < base; i++)
		v = v * base + digit(p[i]);
	return neg ? -v : v;
}

static uint64_t str_of(struct mach *s, uint64_t addr)
{
	uint32_t n;
	const char *p = mem_str(s, addr, &n);

	return p ? mem_str_new(s, p, n) : 0;
}

uint64_t strfunc_call(struct mach *s, uint32_t f, const uint64_t *a, unsigned n)
{
	uint32_t len = 0;

	switch (f) {
	case DVM_F_STRLEN: return mem_str(s, a[0], &len) ? len : 0;
	case DVM_F_STRCHR: return str_chr(s, a[0], (uint8_t)a[1], false);
	case DVM_F_STRRCHR: return str_chr(s, a[0], (uint8_t)a[1], true);
	case DVM_F_STRSTR: return str_str(s, a[0], a[1]);
	case DVM_F_STRTOK: return str_tok(s, a[0], a[1]);
	case DVM_F_STRJOIN: return str_join(s, a[0], a[1]);
	case DVM_F_SUBSTR: return sub_str(s, a[0], (int64_t)a[1], n > 2 ? (int64_t)a[2] : INT64_MAX);
	case DVM_F_INDEX: return str_index(s, a[0], a[1], n > 2 ? (int64_t)a[2] : 0, f);
	case DVM_F_RINDEX: return str_index(s, a[0], a[1], n > 2 ? (int64_t)a[2] : INT64_MAX, f);
	case DVM_F_LLTOSTR: return ll_to_str(s, a[0], n > 1 ? a[1] : 10);
	case DVM_F_STRTOLL: return str_to_ll(s, a[0], n > 1 ? a[1] : 10);
	case DVM_F_TOUPPER: return str_case(s, a[0], true);
	case DVM_F_TOLOWER: return str_case(s, a[0], false);
	case DVM_F_STRINGOF: return str_of(s, a[0]);
	default:
		mach_fault(s, DVM_FLT_ILLOP, 0);
		return 0;
	}
}
