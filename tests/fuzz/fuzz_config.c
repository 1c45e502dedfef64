/* Any text as a zone's config.json: it is taken or refused, what is taken can be made settings of or is refused, and nothing leaks. */
#include "brand/brand.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct brand_settings s;
	struct zone_config c;
	struct err e;

	if (zone_config_parse(&c, (const char *)data, size, &e) < 0)
		return 0;
	brand_settings_make(&c, &s, &e);
	zone_config_free(&c);
	return 0;
}
