/* Provider dtrace: BEGIN, END and ERROR of the session itself. Listed first, so that their ids are 1, 2 and 3. */
#include <errno.h>

#include "dtrace/provider_impl.h"
#include "dvm/image.h"

static int dtrace_list(struct dt_probes *ps, struct err *e)
{
	static const struct { const char *name; uint8_t kind; } probe[] = {
		{ "BEGIN", DVM_P_BEGIN }, { "END", DVM_P_END }, { "ERROR", DVM_P_ERROR },
	};

	for (unsigned i = 0; i < 3; i++) {
		struct dt_probe p = {
			.prov = "dtrace", .mod = "", .func = "", .name = probe[i].name,
			.kind = probe[i].kind, .provider = &dt_provider_dtrace,
		};

		if (!dt_probe_add(ps, &p))
			return err_set(e, ENOMEM, "probe %s", probe[i].name);
	}
	return 0;
}

const struct dt_provider dt_provider_dtrace = {
	.name = "dtrace",
	.list = dtrace_list,
};
