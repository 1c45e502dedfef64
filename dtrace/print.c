/* Values as trace() and printa() without a format show them. Column widths are those of dtrace(1): signed and unsigned
 * integers of trace() differ in width, keys and values of aggregations always print signed. */
#include "dtrace/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

int64_t dt_datum_int(const struct dt_datum *d)
{
	uint64_t v = 0;

	if (!d->it || d->it->kind != DVM_I_INT || d->it->len < 8)
		return 0;
	memcpy(&v, d->it + 1, 8);
	switch (d->v->size) {
	case 1:
		return d->v->is_signed ? (int64_t)(int8_t)v : (int64_t)(uint8_t)v;
	case 2:
		return d->v->is_signed ? (int64_t)(int16_t)v : (int64_t)(uint16_t)v;
	case 4:
		return d->v->is_signed ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
	default:
		return (int64_t)v;
	}
}

const char *dt_datum_bytes(const struct dt_datum *d, size_t *len)
{
	const char *s;

	*len = 0;
	if (!d->it || (d->it->kind != DVM_I_STR && d->it->kind != DVM_I_BYTES))
		return "";
	s = (const char *)(d->it + 1);
	*len = d->it->len;
	if (d->it->kind == DVM_I_STR || d->v->is_char_array)
		*len = strnlen(s, *len);
	return s;
}

void dt_print_padded(struct dt_print *p, const char *s, size_t len, int width)
{
	size_t w = width < 0 ? -(size_t)width : (size_t)width, pad = w > len ? w - len : 0;

	if (width < 0) {
		while (pad--)
			putc(' ', p->out);
		pad = 0;
	}
	fwrite(s, 1, len, p->out);
	while (pad--)
		putc(' ', p->out);
}

void dt_print_rawbytes(struct dt_print *p, const void *data, size_t len)
{
	const unsigned char *c = data;

	if (!len)
		return;
	fputs("\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n", p->out);
	for (size_t i = 0; i < len; i += 16) {
		size_t n = len - i < 16 ? len - i : 16;

		fprintf(p->out, "     %5zx:", i);
		for (size_t j = 0; j < 16; j++) {
			if (j < n)
				fprintf(p->out, " %02x", c[i + j]);
			else
				fputs("   ", p->out);
		}
		fputs("  ", p->out);
		for (size_t j = 0; j < n; j++)
			putc(c[i + j] < ' ' || c[i + j] > '~' ? '.' : c[i + j], p->out);
		putc('\n', p->out);
	}
}

static bool printable(unsigned char c)
{
	return isprint(c) || isspace(c) || c == '\b' || c == '\a';
}

/* An array of char is text if it is printable up to a NUL and nothing but NULs follow. */
static bool is_text(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && printable((unsigned char)s[i]))
		i++;
	if (i == 0)
		return false;
	while (i < len && !s[i])
		i++;
	return i == len;
}

static void print_text(struct dt_print *p, const char *s, size_t len, int width)
{
	if (p->quiet && width == 33) {
		fwrite(s, 1, len, p->out);
		return;
	}
	fputs("  ", p->out);
	dt_print_padded(p, s, len, width);
}

/* A value that is no integer; width: 33 for trace(), 50 for keys. */
static void print_nonint(struct dt_print *p, const struct dt_datum *d, int width)
{
	size_t len;
	const char *s = dt_datum_bytes(d, &len);

	if (d->v->kind == DT_VAL_USTACK) {
		dt_print_ustack(p, d, p->stackindent);
		return;
	}
	if (p->rawbytes) {
		dt_print_rawbytes(p, s, d->it ? d->it->len : 0);
		return;
	}
	if (d->v->kind == DT_VAL_STRING || (d->v->is_char_array && d->it && is_text(s, d->it->len)))
		print_text(p, s, len, width);
	else
		dt_print_rawbytes(p, s, d->it ? d->it->len : 0);
}

void dt_print_trace(struct dt_print *p, const struct dt_datum *d)
{
	int width = 3, r;
	int64_t v;

	if (d->v->kind != DT_VAL_INT) {
		print_nonint(p, d, 33);
		return;
	}
	v = dt_datum_int(d);
	if (p->rawbytes) {
		dt_print_rawbytes(p, &v, d->v->size <= 8 ? d->v->size : 8);
		return;
	}
	if (d->v->size == 8)
		width = d->v->is_signed ? 19 : 20;
	else if (d->v->size == 4)
		width = 10;
	else if (d->v->size == 2)
		width = 5;
	if (p->quiet)
		width = 0;
	else
		putc(' ', p->out);
	r = d->v->is_signed ? fprintf(p->out, "%*" PRId64, width, v) : fprintf(p->out, "%*" PRIu64, width, (uint64_t)v);
	(void)r; /* a failed write shows at the next flush */
}

void dt_print_key(struct dt_print *p, const struct dt_datum *d)
{
	int64_t v;

	if (d->v->kind != DT_VAL_INT) {
		print_nonint(p, d, 50);
		return;
	}
	v = dt_datum_int(d);
	switch (d->v->size) {
	case 8:
		fprintf(p->out, " %16" PRId64, v);
		break;
	case 4:
		fprintf(p->out, " %8" PRId32, (int32_t)v);
		break;
	case 2:
		fprintf(p->out, " %5" PRId64, v);
		break;
	default:
		fprintf(p->out, " %3" PRId64, v);
		break;
	}
}

void dt_print_ustack(struct dt_print *p, const struct dt_datum *d, unsigned indent)
{
	size_t n = d->it && d->it->kind == DVM_I_USTACK ? d->it->len / 8 : 0;
	const char *base = (const char *)(d->it + 1);

	putc('\n', p->out);
	for (size_t i = 0; i < n; i++) {
		uint64_t pc;

		memcpy(&pc, base + i * 8, 8);
		if (!pc)
			break;
		fprintf(p->out, "%*s0x%" PRIx64 "\n", (int)indent, "", pc);
	}
}

int64_t dt_div(int64_t a, int64_t n)
{
	if (n == 0)
		return a;
	if (n == -1)
		return (int64_t)(0 - (uint64_t)a);
	return a / n;
}

/* Largest r with r * r <= v. */
static uint64_t isqrt128(unsigned __int128 v)
{
	uint64_t r = 0;

	for (int bit = 63; bit >= 0; bit--) {
		uint64_t t = r | UINT64_C(1) << bit;

		if ((unsigned __int128)t * t <= v)
			r = t;
	}
	return r;
}

/* Standard deviation in whole numbers: sqrt(mean of squares - square of mean), each normalised first. */
static int64_t stddev(const uint64_t *data, int64_t normal)
{
	unsigned __int128 sq = (unsigned __int128)data[3] << 64 | data[2], mean2;
	uint64_t n = normal < 0 ? 0 - (uint64_t)normal : normal ? (uint64_t)normal : 1;
	int64_t mean;
	uint64_t m;

	if (!data[0])
		return 0;
	sq = sq / n / n / data[0];
	mean = dt_div(dt_div((int64_t)data[1], (int64_t)n), (int64_t)data[0]);
	m = mean < 0 ? 0 - (uint64_t)mean : (uint64_t)mean;
	mean2 = (unsigned __int128)m * m;
	return sq > mean2 ? (int64_t)isqrt128(sq - mean2) : 0;
}

int64_t dt_agg_scalar(const struct dt_aggval *a)
{
	switch (a->desc->func) {
	case DVM_AGG_AVG:
		return a->data[0] ? dt_div(dt_div((int64_t)a->data[1], a->normal), (int64_t)a->data[0]) : 0;
	case DVM_AGG_STDDEV:
		return stddev(a->data, a->normal);
	default:
		return dt_div((int64_t)a->data[0], a->normal);
	}
}

void dt_print_aggval(struct dt_print *p, const struct dt_aggval *a)
{
	if (dt_agg_is_hist(a->desc))
		dt_print_hist(p, a);
	else
		fprintf(p->out, " %16" PRId64, dt_agg_scalar(a));
}
