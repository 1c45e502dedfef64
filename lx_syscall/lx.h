/* The table of all Linux system calls of both x86 ABIs, as generated from syscalls.tbl. Read-only data, usable anywhere
 * (no libc). A row is named by its index; LX_ROW_<name> are the generated indices (lx_rows.h). */
#ifndef LX_SYSCALL_LX_H
#define LX_SYSCALL_LX_H

#include <stdbool.h>
#include <stdint.h>

/* sys64: the x86_64 ABI; sys32: i386. These are also the D module names. */
enum lx_abi { LX_SYS64, LX_SYS32, LX_NABI };

enum lx_how { LX_PASS, LX_EMULATE, LX_DENY };

#define LX_VERSION(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))

/* What an argument is; decides how it is decoded. */
enum lx_kind {
	LX_K_INT, LX_K_UINT, LX_K_LONG, LX_K_SIZE, LX_K_OFF, LX_K_ADDR, LX_K_FD, LX_K_DIRFD, LX_K_PATH, LX_K_STR,
	LX_K_BUF, LX_K_PTR, LX_K_FLAGS, LX_K_ENUM, LX_K_MODE, LX_K_PID, LX_K_UID, LX_K_GID, LX_K_SIG,
	LX_K_ULONG, LX_K_DEV, LX_K_SPECIAL, /* special: what it is depends on other arguments */
};

enum lx_dir { LX_D_NONE, LX_D_IN, LX_D_OUT, LX_D_INOUT }; /* of what a pointer points to */

struct lx_arg {
	const char *name; /* "fd" */
	const char *type; /* C type as D's args[] sees it: "int", "const char *", "struct stat *" */
	uint8_t kind;     /* enum lx_kind */
	uint8_t dir;      /* enum lx_dir */
	uint16_t decode;  /* decoder-private: set of flag names or structure */
	uint8_t reg;      /* first register that holds it: differs from its place after a 64-bit argument on i386 */
	uint8_t regs;     /* registers: 2 for a 64-bit argument on i386 (low half first), else 1 */
	int8_t width;     /* bytes in this ABI, negative if signed */
};

struct lx_row {
	const char *name;            /* "uname" */
	const char *note;            /* why a row is emulated or denied; NULL for most */
	int16_t nr[LX_NABI];         /* number, -1 where the ABI lacks it */
	uint32_t since[LX_NABI];     /* LX_VERSION of its first kernel; 0 = always or absent */
	uint32_t removed;            /* LX_VERSION of the first kernel without it, 0 = still there */
	uint8_t how;                 /* enum lx_how: the most that a world can ask for */
	uint8_t cls;                 /* enum lx_class (generated in lx_rows.h) */
	int16_t error;               /* errno of a deny row */
	uint8_t nargs[LX_NABI];
	const struct lx_arg *args[LX_NABI];
};

/* An argument's value, from the six registers of a call as they were: cut to its width, signed ones extended. What D's
 * args[] and the decoder show. */
static inline uint64_t lx_arg_value(const struct lx_arg *a, const uint64_t regs[6])
{
	uint64_t v = regs[a->reg];
	unsigned bits = 8 * (unsigned)(a->width < 0 ? -a->width : a->width);

	if (a->regs == 2)
		v = (uint32_t)v | regs[a->reg + 1] << 32;
	if (bits >= 64)
		return v;
	if (a->width < 0)
		return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
	return v & ((1ULL << bits) - 1);
}

/* The arguments of a call as D's arg0... and args[] have them: on x86_64 the registers as they are; on i386 each argument
 * widened as its type says, so that -1 is -1, and a 64-bit one whole in one place. */
static inline void lx_args_get(const struct lx_row *r, enum lx_abi abi, const uint64_t regs[6], uint64_t args[6])
{
	unsigned n;

	for (n = 0; n < 6; n++)
		args[n] = abi == LX_SYS32 && n < r->nargs[abi] ? lx_arg_value(&r->args[abi][n], regs) : regs[n];
}

#define LX_NEVER UINT32_MAX /* in since: a number that was reserved and never implemented */

extern const struct lx_row lx_rows[];
extern const unsigned lx_nrows;

/* Row index by number or by name; -1 where there is none. O(1) and O(log n). The x32 bit is not stripped: no row. */
int lx_row_by_nr(enum lx_abi abi, unsigned long nr);
int lx_row_by_name(const char *name);
const char *lx_abi_name(enum lx_abi abi);     /* "sys64", "sys32" */
const char *lx_class_name(unsigned cls);
const char *lx_how_name(enum lx_how how);     /* "pass", "emulate", "deny" */

#endif
