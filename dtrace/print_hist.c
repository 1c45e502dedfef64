/* Histograms of quantize(), lquantize() and llquantize(): 40 columns of @, or 20 to either side of a centre line where negative
 * increments gave counts of both signs. Rows go from one empty bucket before the first to one behind the last that counts. */
#include <inttypes.h>
#include <string.h>

#include "dtrace/print.h"

#define WIDTH 40

static const char bar_full[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";

/* What scales the bars of one histogram. */
struct scale {
	long double total; /* of absolute counts */
	bool positive, negative;
};

static unsigned bar_len(const struct scale *s, int64_t count, unsigned width)
{
	long double c = count, n;

	if (s->total <= 0)
		return 0;
	n = (c < 0 ? -c : c) * width / s->total + 0.5L;
	return n >= width ? width : (unsigned)n;
}

static void print_row(struct dt_print *p, const struct scale *s, int64_t count, int64_t normal)
{
	int64_t shown = dt_div(count, normal);
	unsigned n;

	if (!s->negative) {
		n = s->positive ? bar_len(s, count, WIDTH) : 0;
		fprintf(p->out, "|%.*s%*s %-9" PRId64 "\n", (int)n, bar_full, (int)(WIDTH - n), "", shown);
	} else if (!s->positive) {
		n = bar_len(s, count, WIDTH);
		fprintf(p->out, "%*s%.*s| %-9" PRId64 "\n", (int)(WIDTH - n), "", (int)n, bar_full, shown);
	} else {
		n = bar_len(s, count, WIDTH / 2);
		if (count <= 0)
			fprintf(p->out, "%*s%.*s|%*s %-9" PRId64 "\n", (int)(WIDTH / 2 - n), "", (int)n, bar_full, WIDTH / 2, "", shown);
		else
			fprintf(p->out, "%*s|%.*s%*s %-9" PRId64 "\n", WIDTH / 2, "", (int)n, bar_full, (int)(WIDTH / 2 - n), "", shown);
	}
}

/* First and last row to show; the given ones if there is nothing to count. */
static void find_range(const int64_t *data, unsigned n, unsigned *first, unsigned *last, unsigned empty_first, unsigned empty_last)
{
	unsigned f = 0, l = n - 1;

	while (f < n && !data[f])
		f++;
	if (f == n) {
		*first = empty_first;
		*last = empty_last < n ? empty_last : n - 1;
		return;
	}
	while (!data[l])
		l--;
	*first = f ? f - 1 : 0;
	*last = l < n - 1 ? l + 1 : l;
}

static void print_head(struct dt_print *p, const int64_t *data, unsigned first, unsigned last, struct scale *s)
{
	memset(s, 0, sizeof(*s));
	for (unsigned i = first; i <= last; i++) {
		s->positive |= data[i] > 0;
		s->negative |= data[i] < 0;
		s->total += data[i] < 0 ? -(long double)data[i] : (long double)data[i];
	}
	fprintf(p->out, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
}

static int64_t quantize_value(unsigned i)
{
	if (i == DVM_QUANTIZE_ZERO)
		return 0;
	return i > DVM_QUANTIZE_ZERO ? INT64_C(1) << (i - DVM_QUANTIZE_ZERO - 1) : -(INT64_C(1) << (DVM_QUANTIZE_ZERO - i - 1));
}

static void print_quantize(struct dt_print *p, const struct dt_aggval *a)
{
	const int64_t *data = (const int64_t *)a->data;
	unsigned first, last;
	struct scale s;

	find_range(data, DVM_QUANTIZE_NBUCKETS, &first, &last, DVM_QUANTIZE_ZERO - 1, DVM_QUANTIZE_ZERO + 1);
	print_head(p, data, first, last, &s);
	for (unsigned i = first; i <= last; i++) {
		fprintf(p->out, "%16" PRId64 " ", quantize_value(i));
		print_row(p, &s, data[i], a->normal);
	}
}

static void print_label(struct dt_print *p, const char *rel, int64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %" PRId64, rel, v);
	fprintf(p->out, "%16s ", text);
}

static void print_lquantize(struct dt_print *p, const struct dt_aggval *a)
{
	const int64_t *data = (const int64_t *)a->data, base = a->desc->base, step = a->desc->step;
	unsigned first, last, n = a->desc->ndata;
	struct scale s;

	find_range(data, n, &first, &last, 0, 2);
	print_head(p, data, first, last, &s);
	for (unsigned i = first; i <= last; i++) {
		if (i == 0)
			print_label(p, "<", base);
		else if (i == n - 1)
			print_label(p, ">=", base + (int64_t)(n - 2) * step);
		else
			fprintf(p->out, "%16" PRId64 " ", base + ((int64_t)i - 1) * step);
		print_row(p, &s, data[i], a->normal);
	}
}

/* Walks the lower bounds of llquantize buckets 1, 2, ...; it.value after bucket i is the bound of bucket i + 1. */
struct ll_iter {
	int64_t value, next, step;
	const struct dvm_agg *d;
};

static int64_t ll_step(const struct ll_iter *it)
{
	return it->next > it->d->nsteps ? it->next / it->d->nsteps : 1;
}

static void ll_start(struct ll_iter *it, const struct dvm_agg *d)
{
	it->d = d;
	it->value = 1;
	for (int i = 0; i < d->low; i++)
		it->value = (int64_t)((uint64_t)it->value * (uint64_t)d->factor);
	it->next = (int64_t)((uint64_t)it->value * (uint64_t)d->factor);
	it->step = ll_step(it);
}

static void ll_advance(struct ll_iter *it)
{
	it->value += it->step;
	if (it->value != it->next)
		return;
	it->next = (int64_t)((uint64_t)it->value * (uint64_t)it->d->factor);
	it->step = ll_step(it);
}

static void print_llquantize(struct dt_print *p, const struct dt_aggval *a)
{
	const int64_t *data = (const int64_t *)a->data;
	unsigned first, last, n = a->desc->ndata;
	struct ll_iter it;
	struct scale s;

	find_range(data, n, &first, &last, 0, 1);
	print_head(p, data, first, last, &s);
	ll_start(&it, a->desc);
	for (unsigned i = 0; i <= last; i++) {
		if (i >= first) {
			if (i == 0)
				print_label(p, "<", it.value);
			else if (i == n - 1)
				print_label(p, ">=", it.value);
			else
				fprintf(p->out, "%16" PRId64 " ", it.value);
			print_row(p, &s, data[i], a->normal);
		}
		if (i > 0 && i < n - 1)
			ll_advance(&it);
	}
}

void dt_print_hist(struct dt_print *p, const struct dt_aggval *a)
{
	if (a->desc->ndata < 3)
		return;
	if (a->desc->func == DVM_AGG_QUANTIZE)
		print_quantize(p, a);
	else if (a->desc->func == DVM_AGG_LQUANTIZE)
		print_lquantize(p, a);
	else
		print_llquantize(p, a);
}

long double dt_hist_sum(const struct dvm_agg *desc, const uint64_t *u, int64_t *zero)
{
	const int64_t *data = (const int64_t *)u;
	long double sum = 0;
	struct ll_iter it;

	*zero = 0;
	if (desc->ndata < 3)
		return 0;
	switch (desc->func) {
	case DVM_AGG_QUANTIZE:
		for (unsigned i = 0; i < DVM_QUANTIZE_NBUCKETS; i++)
			sum += (long double)quantize_value(i) * data[i];
		*zero = data[DVM_QUANTIZE_ZERO];
		break;
	case DVM_AGG_LQUANTIZE:
		for (unsigned i = 0; i < desc->ndata; i++) {
			int64_t v = i == 0 ? (int64_t)desc->base - 1 : desc->base + ((int64_t)i - 1) * desc->step;

			if (i == desc->ndata - 1)
				v++; /* the last bucket counts as just above the limit */
			sum += (long double)v * data[i];
			if (v == 0)
				*zero = data[i];
		}
		break;
	default:
		ll_start(&it, desc);
		sum = (long double)data[0] * (it.value - 1);
		for (unsigned i = 1; i < desc->ndata; i++) {
			sum += (long double)data[i] * it.value;
			if (i < desc->ndata - 1)
				ll_advance(&it);
		}
		*zero = data[0];
	}
	return sum;
}
