/* Which bucket of a quantizing aggregation a value belongs to. */
#include "dvm/dvm_impl.h"

/* Powers of two on both sides of zero. */
static uint32_t quantize_bucket(int64_t v)
{
	if (!v)
		return DVM_QUANTIZE_ZERO;
	if (v > 0)
		return DVM_QUANTIZE_ZERO + 64 - (uint32_t)__builtin_clzll((uint64_t)v);
	if (v == INT64_MIN) /* shares the bucket of -2^62: there is no further one */
		return 0;
	return DVM_QUANTIZE_ZERO - (64 - (uint32_t)__builtin_clzll(-(uint64_t)v));
}

static uint32_t lquantize_bucket(const struct dvm_agg *a, int64_t v)
{
	if (v < a->base)
		return 0;
	if (v >= a->limit)
		return a->ndata - 1;
	return 1 + (uint32_t)((uint64_t)(v - a->base) / (uint32_t)a->step);
}

/* Each order of magnitude, [factor^k, factor^(k+1)), is cut into nsteps linear steps of factor^(k+1) / nsteps, less those
 * that the order below it covers; an order of fewer than nsteps integers is cut into single ones. */
static uint32_t llquantize_bucket(const struct dvm_agg *a, int64_t v)
{
	uint64_t low = 1, factor = (uint32_t)a->factor, nsteps = (uint32_t)a->nsteps;
	uint32_t bucket = 1;

	for (int32_t k = 0; k < a->low; k++)
		low *= factor;
	if (v < 0 || (uint64_t)v < low)
		return 0;
	for (int32_t k = a->low; k <= a->high; k++) {
		uint64_t high = low * factor; /* dvm_verify() has seen that it fits */
		uint64_t n = high < nsteps ? high : nsteps;

		if ((uint64_t)v < high) {
			bucket += (uint32_t)(((uint64_t)v - low) / (high / n));
			break;
		}
		bucket += (uint32_t)(n - n / factor);
		low = high;
	}
	return bucket;
}

uint32_t agg_bucket(const struct dvm_agg *a, int64_t v)
{
	uint32_t b;

	if (a->func == DVM_AGG_QUANTIZE)
		b = quantize_bucket(v);
	else if (a->func == DVM_AGG_LQUANTIZE)
		b = lquantize_bucket(a, v);
	else
		b = llquantize_bucket(a, v);
	return b < a->ndata ? b : a->ndata - 1;
}
