/* Memory and strings without libc: plain loops over words. The compiler is told not to turn them back into calls of the
 * very functions they replace (see common/meson.build). */
#include "common/base/str.h"

typedef uint64_t word __attribute__((may_alias, aligned(1)));

/* Goes forward, each word read before anything behind it is written: base_memmove() relies on that. */
void base_memcpy(void *dst, const void *src, size_t n)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	for (; n >= 8; n -= 8, d += 8, s += 8)
		*(word *)d = *(const word *)s;
	for (; n; n--)
		*d++ = *s++;
}

void base_memmove(void *dst, const void *src, size_t n)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= n) { /* d before s, or no overlap: forward is right, by words too */
		base_memcpy(dst, src, n);
		return;
	}
	while (n--)
		d[n] = s[n];
}

void base_memset(void *dst, int c, size_t n)
{
	uint8_t *d = dst;
	uint64_t w = (uint8_t)c * 0x0101010101010101ull;

	for (; n >= 8; n -= 8, d += 8)
		*(word *)d = w;
	for (; n; n--)
		*d++ = (uint8_t)c;
}

int base_memcmp(const void *a, const void *b, size_t n)
{
	const uint8_t *p = a, *q = b;

	for (; n >= 8 && *(const word *)p == *(const word *)q; n -= 8)
		p += 8, q += 8;
	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p < *q ? -1 : 1;
	return 0;
}

size_t base_strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

const void *base_memchr(const void *s, int c, size_t n)
{
	const uint8_t *p = s;

	for (; n; n--, p++)
		if (*p == (uint8_t)c)
			return p;
	return NULL;
}

void base_puts(char *buf, size_t cap, size_t *pos, const char *s)
{
	if (!cap)
		return;
	while (*s && *pos + 1 < cap)
		buf[(*pos)++] = *s++;
	buf[*pos < cap ? *pos : cap - 1] = 0;
}

void base_putu(char *buf, size_t cap, size_t *pos, uint64_t v, unsigned base)
{
	char t[65];
	size_t n = sizeof(t) - 1;

	t[n] = 0;
	do
		t[--n] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
	while (v /= base);
	base_puts(buf, cap, pos, t + n);
}

void base_puti(char *buf, size_t cap, size_t *pos, int64_t v)
{
	if (v < 0)
		base_puts(buf, cap, pos, "-");
	base_putu(buf, cap, pos, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}
