/* A session's variables live with its holder, so where several holders run one program, each fires BEGIN, END and tick itself.
 * What these show must be shown once: records are the consumer's to skip, but what they count is taken out of the image of all
 * sessions but the first. */
#include <stdlib.h>
#include <string.h>

#include "dtrace/consumer_impl.h"

bool probe_is_shared(uint8_t kind)
{
	return kind == DVM_P_BEGIN || kind == DVM_P_END || kind == DVM_P_TICK;
}

struct dvm_image *image_mute(const struct dvm_image *img, size_t len)
{
	struct dvm_image *out = malloc(len);
	const struct dvm_clause *clause;
	const struct dvm_probe *probe;
	struct dvm_insn *insn;
	const uint32_t *enabling;
	bool *mute;

	if (!out)
		return NULL;
	memcpy(out, img, len);
	clause = (const struct dvm_clause *)(void *)((char *)out + out->clauses.off);
	probe = (const struct dvm_probe *)(void *)((char *)out + out->probes.off);
	insn = (struct dvm_insn *)(void *)((char *)out + out->insns.off);
	enabling = (const uint32_t *)(void *)((char *)out + out->enablings.off);
	mute = calloc(out->clauses.count + 1, sizeof(*mute));
	if (!mute) {
		free(out);
		return NULL;
	}
	for (int pass = 0; pass < 2; pass++) { /* a clause that a guest's probe enables too stays as it is */
		for (uint32_t i = 0; i < out->probes.count; i++) {
			if (probe_is_shared(probe[i].kind) == (pass == 1))
				continue;
			for (uint32_t k = 0; k < probe[i].nenabling; k++)
				mute[enabling[probe[i].enabling + k]] = pass == 0;
		}
	}
	for (uint32_t i = 0; i < out->clauses.count; i++) {
		if (!mute[i])
			continue;
		for (uint32_t k = 0; k < clause[i].ninsn; k++) {
			struct dvm_insn *in = &insn[clause[i].insn + k];

			if (in->op == DVM_AGG)
				*in = (struct dvm_insn){ .op = DVM_NOP };
		}
	}
	free(mute);
	return out;
}
