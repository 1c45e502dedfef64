/* Inside the decoder: the text that is being written, names and structures. */
#ifndef LX_SYSCALL_DECODE_IMPL_H
#define LX_SYSCALL_DECODE_IMPL_H

#include "lx_syscall/decode.h"
#include "lx_syscall/lx_names.h"

/* Kinds of fields beyond enum lx_kind. */
enum {
	LX_K_F_SIGSET = 64, LX_K_F_SIGSETP, LX_K_F_HANDLER, LX_K_F_RLIM, LX_K_F_CHARS, LX_K_F_STRUCT, LX_K_F_HEX,
};

struct lx_name {
	const char *name;
	uint64_t value, mask; /* of a flag: (v & mask) == value */
};

struct lx_set {
	const struct lx_name *names;
	uint16_t n;
	bool flags;
};

extern const struct lx_set lx_sets[LX_NSET];
extern const struct lx_struct lx_structs[LX_NS][LX_NABI];

#define DEC_STRMAX 32   /* bytes of a buffer shown, as strace's -s */
#define DEC_PATHMAX 512 /* bytes of a path shown */
#define DEC_ELEMS 16    /* elements of an array shown */
#define DEC_DEPTH 4     /* structures within structures */

struct lx_dec {
	char *p, *end; /* end: where the terminating byte may still go */
	bool full;
	unsigned depth;
	uint64_t budget; /* bytes that are in the buffers of iovecs */
	const struct lx_call *call;
	const struct lx_row *row;
	const struct lx_mem *mem;
};

/* lx_arg.decode: what it names, and what counts the elements. */
#define DEC_ID(decode) ((decode) & 0x1ff)
#define DEC_HEX 1 /* of a number: shown in hexadecimal */
#define DEC_COUNT(decode) ((decode) >> 9 & 15)  /* 1-6 argument, 7 result, +8: what the argument points to */
#define DEC_FIXED(decode) ((decode) >> 13 & 7)  /* a fixed number of elements */

void dec_char(struct lx_dec *d, char c);
void dec_str(struct lx_dec *d, const char *s);
void dec_int(struct lx_dec *d, int64_t v);
void dec_uint(struct lx_dec *d, uint64_t v);
void dec_hex(struct lx_dec *d, uint64_t v);
void dec_octal(struct lx_dec *d, uint64_t v);
void dec_addr(struct lx_dec *d, uint64_t v); /* NULL or hexadecimal */
void dec_quoted(struct lx_dec *d, const char *s, size_t len, bool cut);

const char *dec_name(unsigned set, uint64_t v); /* of an enum, or NULL */
void dec_enum(struct lx_dec *d, unsigned set, int64_t v);
void dec_flags(struct lx_dec *d, unsigned set, uint64_t v);

/* Guest memory: all len bytes or false. */
bool dec_read(struct lx_dec *d, uint64_t addr, void *buf, size_t len);
/* A number of the guest's: width bytes, negative: signed. */
bool dec_read_num(struct lx_dec *d, uint64_t addr, int width, uint64_t *v);
unsigned dec_long(const struct lx_dec *d); /* bytes of a long in the call's ABI */

/* Each shows what is at a guest's address, or the address where that can't be read. */
void dec_cstring(struct lx_dec *d, uint64_t addr, size_t max);
void dec_buffer(struct lx_dec *d, uint64_t addr, uint64_t len);
void dec_struct(struct lx_dec *d, uint64_t addr, unsigned id);
void dec_target(struct lx_dec *d, uint64_t addr, unsigned id, uint64_t count, bool counted);
void dec_sigset(struct lx_dec *d, uint64_t addr, unsigned width);
void dec_sigset_bits(struct lx_dec *d, uint64_t bits);
void dec_iovec(struct lx_dec *d, uint64_t addr, uint64_t n);
void dec_sockaddr(struct lx_dec *d, uint64_t addr, uint64_t len);
void dec_msghdr(struct lx_dec *d, uint64_t addr);
void dec_siginfo(struct lx_dec *d, uint64_t addr);
void dec_dev(struct lx_dec *d, uint64_t v, unsigned width);
void dec_signal(struct lx_dec *d, uint64_t v);
void dec_mode(struct lx_dec *d, uint64_t v, bool type);
void dec_handler(struct lx_dec *d, uint64_t v);
void dec_fd(struct lx_dec *d, int64_t v, bool dir);

/* An argument or a field that holds a plain value. */
void dec_value(struct lx_dec *d, unsigned kind, unsigned set, int width, uint64_t v);
/* Arguments of a call given by its row and registers, as ipc and socketcall contain one: the first max. */
void dec_args_of(struct lx_dec *d, unsigned row, const uint64_t regs[6], unsigned max);
/* An argument that others decide about; rest: show the arguments after it too where it decides about those. Returns
 * whether it did. */
bool dec_special(struct lx_dec *d, unsigned id, unsigned n, uint64_t v, const uint64_t regs[6], bool rest);
/* True if there is no such argument: what is in its register is nobody's. */
bool dec_special_absent(unsigned id, const uint64_t regs[6]);
/* What an argument of this direction points to may be shown now. */
bool dec_shown(const struct lx_dec *d, unsigned dir);
bool dec_failed(const struct lx_dec *d); /* the call returned an error */

#endif
