/* Memory and strings without libc, for code that also runs inside guests. Same contracts as their namesakes in string.h;
 * nothing here allocates, locks or uses thread-local data. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stddef.h>
#include <stdint.h>

void base_memcpy(void *dst, const void *src, size_t n);  /* must not overlap */
void base_memmove(void *dst, const void *src, size_t n);
void base_memset(void *dst, int c, size_t n);
int base_memcmp(const void *a, const void *b, size_t n);
size_t base_strnlen(const char *s, size_t max);
const void *base_memchr(const void *s, int c, size_t n);

/* Appends text to a buffer, always leaving it terminated; pos is where the next byte goes and never passes cap - 1. */
void base_puts(char *buf, size_t cap, size_t *pos, const char *s);
void base_putu(char *buf, size_t cap, size_t *pos, uint64_t v, unsigned base);
void base_puti(char *buf, size_t cap, size_t *pos, int64_t v);

#endif
