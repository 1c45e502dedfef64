/* Actions and aggregations, between checker and code generator. */
#ifndef DTRACE_ACTION_IMPL_H
#define DTRACE_ACTION_IMPL_H

#include "dtrace/dt_impl.h"

enum dt_action {
	DT_A_TRACE, DT_A_PRINTF, DT_A_PRINTA, DT_A_PRINT, DT_A_TRACEMEM, DT_A_EXIT, DT_A_CLEAR, DT_A_TRUNC, DT_A_NORMALIZE,
	DT_A_DENORMALIZE, DT_A_RAISE, DT_A_STOP, DT_A_CHILL, DT_A_SYSTEM, DT_A_FREOPEN, DT_A_FTRUNCATE, DT_A_SETOPT,
};

void dt_check_action(struct dt_cc *c, struct dt_node *n); /* arguments that prototypes cannot describe */

#endif
