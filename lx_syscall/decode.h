/* Calls as text, as strace(1) writes them: openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3. No libc and no
 * allocation. Guest memory comes through a callback and may be hostile: it may fail, change and hold anything. */
#ifndef LX_SYSCALL_DECODE_H
#define LX_SYSCALL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lx_syscall/lx.h"

/* Reads up to len bytes of the guest at addr; how many could be read from its beginning on (0: none). */
struct lx_mem {
	size_t (*read)(void *arg, uint64_t addr, void *buf, size_t len);
	void *arg;
};

struct lx_call {
	unsigned row;
	enum lx_abi abi;
	bool returned;    /* result is known, and what the call writes can be shown; else such pointers show as addresses */
	uint64_t args[6]; /* registers; sys32: only the low 32 bits count */
	int64_t result;
};

/* Each writes at most size bytes, always terminated if size != 0, and returns the length of what it wrote. What does not
 * fit is cut and ends in "...". mem may be NULL: pointers show as addresses then. */
size_t lx_decode_call(char *buf, size_t size, const struct lx_call *c, const struct lx_mem *mem); /* name(args) [= result] */
size_t lx_decode_args(char *buf, size_t size, const struct lx_call *c, const struct lx_mem *mem); /* args alone */
size_t lx_decode_arg(char *buf, size_t size, const struct lx_call *c, unsigned n, const struct lx_mem *mem);
size_t lx_decode_result(char *buf, size_t size, const struct lx_call *c); /* "3", "-1 ENOENT", "0x7f..." */

const char *lx_errno_name(int e);  /* "ENOENT", NULL if unknown */
const char *lx_signal_name(int s); /* "SIGINT", NULL if it has none of its own */

/* The value of a constant that any call takes ("O_CREAT", "AF_INET", "SIGINT", "ENOENT"); false: there is none. */
bool lx_constant(const char *name, int64_t *value);

/* Structures of the table as each ABI lays them out, for D's types. */
struct lx_field {
	const char *name;
	const char *type;  /* C type of one element: "long", "struct timeval" */
	uint8_t kind;      /* enum lx_kind, or the decoder's own */
	int8_t width;      /* bytes of a number, negative if signed; 0: a structure in it */
	uint16_t off;      /* bytes from the structure's beginning */
	uint16_t count;    /* elements of an array, 0: no array */
	uint16_t decode;   /* decoder-private */
	uint8_t hidden;    /* not printed */
};

struct lx_struct {
	const char *type;  /* "struct stat" */
	const struct lx_field *fields;
	uint16_t nfields;
	uint16_t size;
};

/* By C type ("struct stat", "stack_t"), NULL if the table has no such structure. */
const struct lx_struct *lx_struct_by_type(enum lx_abi abi, const char *type);
/* The n-th of all, NULL past the end. */
const struct lx_struct *lx_struct_nth(enum lx_abi abi, unsigned n);

#endif
