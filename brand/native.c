/* Brand native: the host's own kernel, as it is. */
#include "brand/brand.h"

static const struct brand_attr attrs[] = {
	{NULL},
};

const struct brand brand_native = {"native", "the host's own kernel", attrs};
