/* What is known of one ELF file, as one flat block without pointers: symbols, functions, unwinding rules. A worker process
 * (worker.c) makes it from the guest's file, which is hostile input; its receiver checks the block once (ld_table_check())
 * and then both engines look things up in it. Freestanding; addresses are the file's own (link-time) ones. */
#ifndef LINKER_TABLE_H
#define LINKER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LD_MAGIC   0x424c444cu /* "LDLB" */
#define LD_VERSION 1

struct ld_sect {
	uint32_t off;   /* bytes from the block's start, multiple of 8 */
	uint32_t count; /* records (bytes for strtab) */
};

struct ld_table {
	uint32_t magic, version;
	uint32_t size;         /* bytes of the whole block */
	uint32_t abi;          /* enum lx_abi: ELFCLASS64 x86_64 or ELFCLASS32 i386 */
	uint8_t build_id[20];  /* zero-filled; all zero: the file has none */
	uint32_t flags;        /* LD_F_* */
	uint64_t text_lo, text_hi; /* span of executable segments */
	struct ld_sect strtab; /* bytes; offset 0 is "" */
	struct ld_sect syms;   /* struct ld_sym, sorted by addr */
	struct ld_sect byname; /* uint32_t index into syms, sorted by name */
	struct ld_sect rules;  /* struct ld_rule, sorted by addr; a rule holds up to the next one */
	struct ld_sect exprs;  /* bytes: checked DWARF expressions that rules name (PLT, signal frames) */
	struct ld_sect sdt;    /* struct ld_sdt: .note.stapsdt probes */
};

#define LD_F_STRIPPED 1u  /* no .symtab: functions without a symbol are named sub_<offset> */

struct ld_sym {
	uint64_t addr;
	uint64_t size;
	uint32_t name;   /* strtab */
	uint16_t kind;   /* enum ld_symkind */
	uint16_t rank;   /* among aliases of one address the lowest is the name shown (malloc before __libc_malloc) */
};
enum ld_symkind { LD_S_FUNC, LD_S_OBJECT, LD_S_SUB /* made from .eh_frame bounds */ };

/* How to find the caller's frame anywhere in [addr, next rule): CFA = reg + cfa_off or expression; return address at
 * CFA + ra_off; the caller's frame pointer register saved at CFA + fp_off, or unchanged. */
struct ld_rule {
	uint32_t addr;     /* offset from text_lo */
	uint8_t cfa;       /* enum ld_cfa */
	uint8_t flags;     /* LD_R_* */
	int16_t ra_off;    /* bytes, multiple of 4 */
	int32_t cfa_off;   /* bytes; LD_CFA_EXPR: offset into exprs */
	int16_t fp_off;    /* LD_R_FP_SAVED */
	int16_t bx_off;    /* LD_R_BX_SAVED: rbx/ebx, for frames whose CFA is found through it */
};
enum ld_cfa { LD_CFA_NONE /* no rule here */, LD_CFA_SP, LD_CFA_FP, LD_CFA_BX, LD_CFA_R10, LD_CFA_EXPR, LD_CFA_END /* outermost frame */ };
#define LD_R_FP_SAVED 1u
#define LD_R_SIGNAL   2u  /* signal frame: the pc is exact, not a return address; registers come from the ucontext */
#define LD_R_BX_SAVED 4u

struct ld_sdt {
	uint64_t pc, semaphore; /* addresses; semaphore 0: none */
	uint32_t provider, name, args; /* strtab; args as written in the note */
	uint32_t pad;
};

/* Whole check of a block of len bytes: sections, order, names, expressions. 0 or -EINVAL. Linear. */
int ld_table_check(const void *block, size_t len);

/* The symbol that covers addr, NULL if none. */
const struct ld_sym *ld_sym_at(const struct ld_table *t, uint64_t addr);
const char *ld_sym_name(const struct ld_table *t, const struct ld_sym *s);
/* Calls fn for each function whose name matches a glob (dtrace's), in address order. */
const struct ld_rule *ld_rule_at(const struct ld_table *t, uint64_t addr);

#endif
