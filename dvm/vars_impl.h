/* Dynamic variables: associative arrays and self-> variables, as they lie in the arena. */
#ifndef DVM_VARS_IMPL_H
#define DVM_VARS_IMPL_H

#include <stdint.h>

/* Chunk: this header, the key (items as in a record), the value. */
struct dyn_chunk {
	uint64_t hash;
	uint32_t var;
	uint32_t tid, tgen; /* THREAD variables; else 0 */
	uint32_t keylen;
};

#define DYN_HDR ((uint32_t)sizeof(struct dyn_chunk))
#define DYN_WAYS 8u /* slots of one bucket: one cache line */

#endif
