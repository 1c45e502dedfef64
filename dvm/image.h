/* The D program image: what the compiler makes, the consumer sends, the holder verifies and the machine runs.
 * One flat block without pointers: a header, then sections of fixed-size records; every offset counts from the block's
 * first byte and is a multiple of 8. Nothing in it is trusted before dvm_verify() has accepted the whole. */
#ifndef DVM_IMAGE_H
#define DVM_IMAGE_H

#include <stdint.h>

#define DVM_MAGIC   0x4d56444cu /* "LDVM" */
#define DVM_VERSION 1

#define DVM_NREGS   64 /* r0 reads as zero and ignores writes */
#define DVM_MAXARGS 10 /* arg0..arg9 */
#define DVM_MAXKEYS 32 /* items of one tuple */

struct dvm_sect {
	uint32_t off;   /* bytes from the image's start */
	uint32_t count; /* records (bytes for strtab) */
};

struct dvm_image {
	uint32_t magic, version;
	uint32_t size;  /* bytes of the whole image */
	uint32_t local_size; /* bytes of this-> variables, fixed offsets, zeroed before each firing */
	struct dvm_sect insns;     /* struct dvm_insn */
	struct dvm_sect consts;    /* uint64_t */
	struct dvm_sect strtab;    /* bytes; last one is NUL; offset 0 is "" */
	struct dvm_sect clauses;   /* struct dvm_clause */
	struct dvm_sect vars;      /* struct dvm_var */
	struct dvm_sect aggs;      /* struct dvm_agg */
	struct dvm_sect probes;    /* struct dvm_probe */
	struct dvm_sect enablings; /* uint32_t clause index, ordered; a probe names a run of them */
};

/* rd = destination, ra and rb = sources; imm is signed. Jumps go forward only: target = own index + 1 + imm, imm >= 0. */
struct dvm_insn {
	uint8_t op; /* enum dvm_op */
	uint8_t rd, ra, rb;
	int32_t imm;
};

struct dvm_clause {
	uint32_t insn, ninsn; /* its code; the last instruction is DVM_RET */
	uint32_t flags;       /* DVM_CL_* */
	uint32_t name;        /* strtab: "dt_clause_3" */
};

#define DVM_CL_RECORD 1u /* reaching DVM_RET commits a record even if it has no item (default action, printf("x\n")) */

enum dvm_scope { DVM_GLOBAL, DVM_THREAD, DVM_LOCAL };
enum dvm_vkind { DVM_V_INT, DVM_V_STRING, DVM_V_BYREF }; /* 8-byte integer; string of strsize bytes; size raw bytes */

struct dvm_var {
	uint8_t scope, kind;
	uint8_t assoc; /* 1: keyed by a tuple (GLOBAL or THREAD) */
	uint8_t pad;
	uint32_t size; /* bytes, for BYREF */
	uint32_t local_off; /* LOCAL: byte offset in the local frame, multiple of 8 */
	uint32_t name; /* strtab */
};

enum dvm_aggfunc {
	DVM_AGG_COUNT, DVM_AGG_SUM, DVM_AGG_MIN, DVM_AGG_MAX, DVM_AGG_AVG, DVM_AGG_STDDEV,
	DVM_AGG_QUANTIZE, DVM_AGG_LQUANTIZE, DVM_AGG_LLQUANTIZE,
};

/* Data of one aggregation entry, all 64-bit:
 * COUNT n; SUM s; MIN, MAX v; AVG n, s; STDDEV n, s, low and high half of the 128-bit sum of squares;
 * QUANTIZE 127 buckets: bucket 63 is zero, 63 + k holds 2^(k-1) <= v < 2^k, 63 - k the negatives;
 * LQUANTIZE 2 + (limit - base + step - 1) / step buckets: [0] below base, the last one >= limit;
 * LLQUANTIZE 2 + the number of steps, [0] below factor^low, the last >= factor^(high+1). */
#define DVM_QUANTIZE_ZERO 63
#define DVM_QUANTIZE_NBUCKETS 127

struct dvm_agg {
	uint32_t func;   /* enum dvm_aggfunc */
	uint32_t ndata;  /* number of 64-bit words of an entry's data */
	int32_t base, limit, step;      /* lquantize */
	int32_t factor, low, high, nsteps; /* llquantize */
	uint32_t name;   /* strtab, "" for @ */
};

enum dvm_probe_kind {
	DVM_P_BEGIN, DVM_P_END, DVM_P_ERROR, DVM_P_TICK, DVM_P_PROFILE,
	DVM_P_SYSCALL_ENTRY, DVM_P_SYSCALL_RETURN,
};

struct dvm_probe {
	uint32_t id;            /* as shown to the user */
	uint8_t kind;           /* enum dvm_probe_kind */
	uint8_t abi;            /* enum lx_abi, for system calls */
	uint16_t row;           /* lx_rows[] index, for system calls */
	uint64_t period_ns;     /* for tick and profile */
	uint32_t prov, mod, func, name;     /* strtab */
	uint32_t enabling, nenabling;       /* run in enablings, in the order in which clauses fire */
};

/* X-macro of all operations: name, and which operands are used: d = rd, a = ra, b = rb, i = imm (checked per op). */
#define DVM_OPS(X) \
	X(NOP, "")      /* nothing */ \
	X(RET, "")      /* end of the clause; commits the record */ \
	X(DROP, "")     /* end of the clause without a record: its predicate was false */ \
	X(LDI, "di")    /* rd = imm, sign-extended */ \
	X(LDC, "di")    /* rd = consts[imm] */ \
	X(LDSTR, "di")  /* rd = machine address of strtab + imm */ \
	X(MOV, "da") \
	X(ADD, "dab") X(SUB, "dab") X(MUL, "dab") X(SDIV, "dab") X(UDIV, "dab") X(SREM, "dab") X(UREM, "dab") \
	X(AND, "dab") X(OR, "dab") X(XOR, "dab") X(SLL, "dab") X(SRL, "dab") X(SRA, "dab") /* shift count & 63 */ \
	X(NOT, "da") X(NEG, "da") \
	X(ADDI, "dai")  /* rd = ra + imm */ \
	X(SX, "dai")    /* rd = low imm (8, 16, 32) bits of ra, sign-extended */ \
	X(ZX, "dai")    /* ... zero-extended */ \
	X(SEQ, "dab") X(SNE, "dab") X(SLT, "dab") X(SLE, "dab") X(ULT, "dab") X(ULE, "dab") /* rd = 0 or 1 */ \
	X(SCMP, "dab")  /* rd = -1, 0, 1: strings at machine addresses ra and rb compared as strcmp(), at most strsize */ \
	X(JMP, "i") X(JZ, "ai") X(JNZ, "ai") \
	X(JEQ, "abi") X(JNE, "abi") \
	X(LD8, "dai") X(LD16, "dai") X(LD32, "dai") X(LD64, "dai")  /* rd = zero-extended *(ra + imm): machine memory only */ \
	X(LDS8, "dai") X(LDS16, "dai") X(LDS32, "dai")              /* sign-extended */ \
	X(ST8, "abi") X(ST16, "abi") X(ST32, "abi") X(ST64, "abi")  /* *(ra + imm) = rb: scratch and by-reference variables */ \
	X(LDV, "di")    /* rd = variable imm: its value (INT) or its machine address (STRING, BYREF); not for assoc */ \
	X(STV, "ai")    /* variable imm = ra: a value, or copied from machine address ra; a THREAD variable set to integer 0 is freed */ \
	X(LDA, "di")    /* as LDV for an assoc variable: the current tuple is the key; missing: 0, an empty string, zeroed bytes */ \
	X(STA, "ai")    /* as STV for an assoc variable; storing integer 0 frees the element */ \
	X(FREEV, "i") X(FREEA, "i") /* frees THREAD variable, assoc element: for (string)NULL or 0 assigned to by-reference ones */ \
	X(TRST, "")     /* empties the tuple; AGG, LDA, STA, FREEA use it and leave it */ \
	X(TINT, "a")    /* appends ra as integer */ \
	X(TSTR, "a")    /* appends the string at machine address ra */ \
	X(TBYTES, "ai") /* appends imm bytes at machine address ra */ \
	X(AGG, "abi")   /* aggregation imm takes value ra with increment rb (count: value unused) */ \
	X(RINT, "a")    /* appends ra to the record as integer */ \
	X(RSTR, "a") X(RBYTES, "ai") /* ... the string, imm bytes at machine address ra */ \
	X(BUILTIN, "dai") /* rd = built-in variable imm (enum dvm_builtin), indexed by ra (args[], uregs[]); strings: machine address */ \
	X(CALL, "dabi") /* rd = function imm (enum dvm_func) of the rb registers that start at ra */ \
	X(EXIT, "a")    /* appends ra to the record and ends the session: nothing but END fires after this clause */ \
	X(LDVC, "di") X(LDAC, "di") /* as LDV and LDA for a BYREF variable about to be changed in place: made, of zeroes, if missing */

enum dvm_op {
#define DVM_OP_ENUM(name, operands) DVM_##name,
	DVM_OPS(DVM_OP_ENUM)
#undef DVM_OP_ENUM
	DVM_NOPS
};

/* s: machine address of a string; i: integer. ARG takes the index in ra. */
#define DVM_BUILTINS(X) \
	X(ARG, i) X(PID, i) X(TID, i) X(PPID, i) X(UID, i) X(GID, i) X(ZPID, i) X(ZTID, i) X(ZUID, i) X(ZGID, i) \
	X(EXECNAME, s) X(ZONENAME, s) X(PROBEPROV, s) X(PROBEMOD, s) X(PROBEFUNC, s) X(PROBENAME, s) \
	X(ID, i) X(EPID, i) X(TIMESTAMP, i) X(VTIMESTAMP, i) X(WALLTIMESTAMP, i) X(ERRNO, i) X(CPU, i) \
	X(LXHOW, s) X(LXCOST, i) X(CWD, s) X(ROOT, s)

enum dvm_builtin {
#define DVM_B_ENUM(name, t) DVM_B_##name,
	DVM_BUILTINS(DVM_B_ENUM)
#undef DVM_B_ENUM
	DVM_NBUILTINS
};

/* Functions, as in the D language. name, result (s string address, p scratch address, i integer), argument kinds
 * (s string address, i integer, a machine or guest address, o optional integer: absent ones are not in rb). */
#define DVM_FUNCS(X) \
	X(COPYIN, p, "ii")     /* (guest address, size): scratch copy */ \
	X(COPYINSTR, s, "io")  /* (guest address[, max bytes]) */ \
	X(COPYINTO, i, "iia")  /* (guest address, size, scratch address) */ \
	X(COPYOUT, i, "aii") X(COPYOUTSTR, i, "sio") \
	X(ALLOCA, p, "i") X(BCOPY, i, "aai") \
	X(STRLEN, i, "s") X(STRCHR, s, "si") X(STRRCHR, s, "si") X(STRSTR, s, "ss") X(STRTOK, s, "ss") X(STRJOIN, s, "ss") \
	X(SUBSTR, s, "sio") X(INDEX, i, "sso") X(RINDEX, i, "sso") X(BASENAME, s, "s") X(DIRNAME, s, "s") X(CLEANPATH, s, "s") \
	X(LLTOSTR, s, "io") X(STRTOLL, i, "so") X(TOUPPER, s, "s") X(TOLOWER, s, "s") \
	X(HTONS, i, "i") X(NTOHS, i, "i") X(HTONL, i, "i") X(NTOHL, i, "i") X(HTONLL, i, "i") X(NTOHLL, i, "i") \
	X(INET_NTOA, s, "a") X(INET_NTOA6, s, "a") X(INET_NTOP, s, "ia") \
	X(RAND, i, "") X(PROGENYOF, i, "i") X(GETMAJOR, i, "i") X(GETMINOR, i, "i") \
	X(RAISE, i, "i") X(STOP, i, "") X(CHILL, i, "i") \
	X(STRINGOF, s, "a")    /* bytes at a machine address, as a string */

enum dvm_func {
#define DVM_F_ENUM(name, r, a) DVM_F_##name,
	DVM_FUNCS(DVM_F_ENUM)
#undef DVM_F_ENUM
	DVM_NFUNCS
};

/* Run-time faults: DTRACEFLT_* values, which ERROR clauses see in arg4. Texts by dvm_fault_text(). */
enum dvm_fault {
	DVM_FLT_UNKNOWN, DVM_FLT_BADADDR, DVM_FLT_BADALIGN, DVM_FLT_ILLOP, DVM_FLT_DIVZERO, DVM_FLT_NOSCRATCH,
	DVM_FLT_KPRIV, DVM_FLT_UPRIV, DVM_FLT_TUPOFLOW, DVM_FLT_BADSTACK, DVM_FLT_BADSIZE, DVM_FLT_BADINDEX,
	DVM_NFAULTS
};

#endif
