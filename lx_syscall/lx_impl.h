/* Generated tables that only lx_syscall/ itself reads. */
#ifndef LX_SYSCALL_LX_IMPL_H
#define LX_SYSCALL_LX_IMPL_H

#include "lx_syscall/lx.h"
#include "lx_syscall/lx_rows.h"

extern const int16_t lx_sys64_rows[LX_MAXNR_SYS64 + 1]; /* number -> row or -1 */
extern const int16_t lx_sys32_rows[LX_MAXNR_SYS32 + 1];
extern const int16_t lx_rows_by_name[LX_NROWS]; /* rows in the order of their names' bytes */
extern const uint8_t lx_row_needs[LX_NROWS];    /* LX_NEED_* of emulate rows */
extern const char *const lx_row_conditions[LX_NROWS];
extern const char *const lx_class_names[LX_NCLASSES];

#endif
