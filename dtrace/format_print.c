/* Printing by a parsed format. Each conversion is handed to C's printf with the flags, width and precision of the D format and
 * the width of the value itself, so that C does the layout. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "dtrace/format_impl.h"
#include "dtrace/print.h"

/* One conversion at work. */
struct job {
	struct dt_print *p;
	const struct dt_conv *c;
	int width, prec;
};

/* C's format of a conversion; mod: "" or PRI length, out: the conversion character. Width and precision follow as arguments
 * would, but are written out: their absence matters. */
static const char *cformat(const struct job *j, const char *mod, char out, char *buf, size_t cap)
{
	char *f = buf;
	int width = j->width;

	*f++ = '%';
	if (j->c->flags & DT_CF_ALT)
		*f++ = '#';
	if (j->c->flags & DT_CF_ZERO)
		*f++ = '0';
	if (width < 0 || (j->c->flags & DT_CF_LEFT))
		*f++ = '-';
	if (j->c->flags & DT_CF_PLUS)
		*f++ = '+';
	if (j->c->flags & DT_CF_GROUP)
		*f++ = '\'';
	if (j->c->flags & DT_CF_SPACE)
		*f++ = ' ';
	if (width < 0)
		width = width == INT32_MIN ? INT32_MAX : -width;
	if (width)
		f += snprintf(f, cap - (size_t)(f - buf), "%d", width);
	if (j->prec > 0)
		f += snprintf(f, cap - (size_t)(f - buf), ".%d", j->prec);
	snprintf(f, cap - (size_t)(f - buf), "%s%c", mod, out);
	return buf;
}

/* The formats are made by cformat() for exactly the argument that follows. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void out_str(const struct job *j, const char *s)
{
	char f[64];

	fprintf(j->p->out, cformat(j, "", 's', f, sizeof(f)), s);
}

static void out_int(const struct job *j, int64_t v, bool is_unsigned, char out)
{
	char f[64];

	if (out == 'c')
		fprintf(j->p->out, cformat(j, "", 'c', f, sizeof(f)), (int)(unsigned char)v);
	else if (is_unsigned)
		fprintf(j->p->out, cformat(j, "j", out, f, sizeof(f)), (uintmax_t)(uint64_t)v);
	else
		fprintf(j->p->out, cformat(j, "j", out, f, sizeof(f)), (intmax_t)v);
}

static void out_float(const struct job *j, const struct dt_datum *d)
{
	long double v = 0;
	float fl;
	double db;
	char f[64];

	if (d->it && d->it->kind == DVM_I_BYTES) {
		if (d->it->len == sizeof(fl)) {
			memcpy(&fl, d->it + 1, sizeof(fl));
			v = fl;
		} else if (d->it->len == sizeof(db)) {
			memcpy(&db, d->it + 1, sizeof(db));
			v = db;
		} else if (d->it->len == sizeof(v)) {
			memcpy(&v, d->it + 1, sizeof(v));
		}
	}
	fprintf(j->p->out, cformat(j, "L", j->c->out, f, sizeof(f)), v);
}

/* A string may be longer than any buffer here, so its padding is done by hand. */
static void out_bytes(const struct job *j, const char *s, size_t len)
{
	bool left = j->width < 0 || (j->c->flags & DT_CF_LEFT);
	int w = j->width == INT32_MIN ? INT32_MAX : j->width < 0 ? -j->width : j->width;

	if (j->prec > 0 && len > (size_t)j->prec)
		len = (size_t)j->prec;
	dt_print_padded(j->p, s, len, left ? w : -w);
}

/* C escapes for what is not printable. */
static size_t escape(unsigned char c, char *dst)
{
	static const char from[] = "\a\b\f\n\r\t\v\"\\", to[] = "abfnrtv\"\\";
	const char *q = c ? strchr(from, c) : NULL;

	if (q)
		return (size_t)sprintf(dst, "\\%c", to[q - from]);
	if (c == 0)
		return (size_t)sprintf(dst, "\\0");
	if (c < ' ' || c > '~')
		return (size_t)sprintf(dst, "\\%03o", c);
	dst[0] = (char)c;
	return 1;
}

static void out_escaped(const struct job *j, const char *s, size_t len)
{
	char small[1024] = "", *buf = small;
	size_t n = 0;

	if (len > sizeof(small) / 4 && !(buf = malloc(len * 4)))
		return;
	for (size_t i = 0; i < len; i++)
		n += escape((unsigned char)s[i], buf + n);
	out_bytes(j, buf, n);
	if (buf != small)
		free(buf);
}

static void out_wide(const struct job *j, const struct dt_datum *d)
{
	size_t len, n = 0;
	const char *s = dt_datum_bytes(d, &len);
	char mb[16], *buf = malloc(len / 4 * sizeof(mb) + 1);

	for (size_t i = 0; buf && i + 4 <= len; i += 4) {
		mbstate_t st = { 0 };
		size_t k;
		wchar_t wc;

		memcpy(&wc, s + i, 4);
		if (!wc)
			break;
		k = wcrtomb(mb, wc, &st);
		if (k == (size_t)-1)
			k = 1, mb[0] = '?';
		memcpy(buf + n, mb, k);
		n += k;
	}
	if (buf)
		out_bytes(j, buf, n);
	free(buf);
}

static void out_time(const struct job *j, int64_t ns, bool rfc822)
{
	time_t sec = (time_t)((uint64_t)ns / 1000000000u);
	char buf[64] = "";
	struct tm tm;

	if (localtime_r(&sec, &tm))
		strftime(buf, sizeof(buf), rfc822 ? "%a, %d %b %G %T %Z" : "%Y %b %e %H:%M:%S", &tm);
	out_str(j, buf);
}

static void out_addr(const struct job *j, uint64_t addr)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "0x%" PRIx64, addr);
	out_str(j, buf);
}

static void out_stack(const struct job *j, const struct dt_datum *d)
{
	unsigned indent = 0;

	if (j->width < 0)
		indent = (unsigned)-(int64_t)j->width;
	else if (j->c->flags & DT_CF_LEFT)
		indent = (unsigned)j->width;
	dt_print_ustack(j->p, d, indent < 1000 ? indent : 1000);
}

static void print_datum(const struct job *j, const struct dt_datum *d)
{
	int64_t v = dt_datum_int(d);
	const char *s;
	size_t len;
	char c;

	switch ((enum dt_convkind)j->c->kind) {
	case DT_CONV_NONE:
	case DT_CONV_PERCENT:
		break;
	case DT_CONV_DINT:
		out_int(j, v, !d->v->is_signed, d->v->is_signed ? 'd' : 'u');
		break;
	case DT_CONV_SINT:
		out_int(j, v, false, j->c->out);
		break;
	case DT_CONV_UINT:
		if (d->v->size == 4)
			v = (uint32_t)v;
		else if (d->v->size == 2)
			v = (uint16_t)v;
		else if (d->v->size == 1)
			v = (uint8_t)v;
		out_int(j, v, true, j->c->out);
		break;
	case DT_CONV_FLOAT:
		out_float(j, d);
		break;
	case DT_CONV_STR:
		s = dt_datum_bytes(d, &len);
		out_bytes(j, s, strnlen(s, len));
		break;
	case DT_CONV_ESTR:
		s = dt_datum_bytes(d, &len);
		out_escaped(j, s, len);
		break;
	case DT_CONV_ECHR:
		c = (char)v;
		out_escaped(j, &c, 1);
		break;
	case DT_CONV_WSTR:
		out_wide(j, d);
		break;
	case DT_CONV_ADDR:
		out_addr(j, (uint64_t)v);
		break;
	case DT_CONV_STACK:
		out_stack(j, d);
		break;
	case DT_CONV_YEAR:
	case DT_CONV_TIME822:
		out_time(j, v, j->c->kind == DT_CONV_TIME822);
		break;
	}
}

static void print_agg(const struct job *j, const struct dt_aggval *a)
{
	int64_t v;

	if (dt_agg_is_hist(a->desc)) {
		dt_print_hist(j->p, a);
		return;
	}
	v = dt_agg_scalar(a);
	switch ((enum dt_convkind)j->c->kind) {
	case DT_CONV_UINT:
		out_int(j, v, true, j->c->out);
		break;
	case DT_CONV_ADDR:
		out_addr(j, (uint64_t)v);
		break;
	case DT_CONV_YEAR:
	case DT_CONV_TIME822:
		out_time(j, v, j->c->kind == DT_CONV_TIME822);
		break;
	case DT_CONV_NONE:
	case DT_CONV_PERCENT:
	case DT_CONV_DINT:
	case DT_CONV_SINT:
	case DT_CONV_FLOAT:
	case DT_CONV_STR:
	case DT_CONV_ESTR:
	case DT_CONV_ECHR:
	case DT_CONV_WSTR:
	case DT_CONV_STACK:
		out_int(j, v, false, j->c->out == 'c' ? 'c' : 'd');
		break;
	}
}

void dt_fmt_print(struct dt_print *p, const struct dt_fmt *f, const struct dt_datum *data, unsigned ndata,
		  const struct dt_aggval *aggs, unsigned naggs)
{
	static const struct dt_val none = { .kind = DT_VAL_INT, .size = 8, .is_signed = true };
	static const struct dt_datum missing = { &none, NULL };
	unsigned used = 0, agg = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const struct dt_conv *c = &f->conv[i];
		struct job j = { p, c, c->width, c->prec };

		fwrite(c->text, 1, c->textlen, p->out);
		if (c->kind == DT_CONV_NONE)
			continue;
		if (c->kind == DT_CONV_PERCENT) {
			putc('%', p->out);
			continue;
		}
		if (c->flags & DT_CF_DYNW)
			j.width = used < ndata ? (int)dt_datum_int(&data[used]) : 0, used++;
		if (c->flags & DT_CF_DYNP)
			j.prec = used < ndata ? (int)dt_datum_int(&data[used]) : 0, used++;
		if (j.width > 65536 || j.width < -65536) /* a guest's number must not print gigabytes of blanks */
			j.width = j.width < 0 ? -65536 : 65536;
		if (j.prec > 65536)
			j.prec = 65536;
		if (c->flags & DT_CF_AGG) {
			if (naggs)
				print_agg(&j, &aggs[agg]);
			if (agg + 1 < naggs)
				agg++;
		} else {
			print_datum(&j, used < ndata ? &data[used] : &missing);
			used++;
		}
	}
}
