/* What the parts of the D compiler share: the program, one compilation, and the functions of each pass.
 * A mistake in the source ends the compilation by longjmp (dt_fail); all memory of a compilation is the program's arena
 * or owned by the program, so nothing needs to be released on the way. */
#ifndef DTRACE_DT_IMPL_H
#define DTRACE_DT_IMPL_H

#include <setjmp.h>

#include "dtrace/ast.h"
#include "dtrace/errtag.h"
#include "dtrace/format.h"
#include "dtrace/program.h"
#include "lx_syscall/lx.h"

#define DT_MAXNEST  400   /* parentheses, declarators and blocks inside each other */
#define DT_MAXDEPTH 3000  /* height of an expression's tree */
#define DT_MAXOBJECT (1u << 20) /* bytes of one variable or recorded value, as the machine has it */
#define DT_MAXINLINE 50   /* inlines and translators that use one another */
#define DT_MAXEXPAND 200000 /* nodes that inlines may make in one clause */

/* ---- Memory and tables ---- */

struct dt_map { /* from names to anything; names are not copied */
	struct dt_mapent **bucket;
	uint32_t nbucket, count;
};

struct dt_vec { /* growing array, malloc'ed */
	void *v;
	uint32_t n, cap;
};

struct dt_enab { /* one clause on one probe */
	const struct dt_probe *probe;
	uint32_t clause;
};

struct dt_xlator {
	struct dt_type *from, *to;
	const char *param;
	struct dt_node *member; /* list: str = member, a = its expression */
	struct dt_xlator *next;
};

struct dt_prog {
	struct dt_probes *ps;
	struct dt_opts *opts;
	struct dt_chunk *chunks;
	struct dt_map types;   /* "int", "size_t", "struct foo" -> struct dt_type */
	struct dt_map globals; /* -> struct dt_ident; built-ins, functions and actions too */
	struct dt_map tls;
	struct dt_map aggs;
	struct dt_map strings; /* text -> offset + 1 in strtab */
	struct dt_xlator *xlators;
	struct dt_type *t_void, *t_char, *t_int, *t_uint, *t_long, *t_ulong, *t_string, *t_dyn, *t_int64, *t_uint64, *t_size;
	struct dt_vec insns, consts, strtab; /* of the image */
	struct dt_vec clauses, meta;         /* struct dvm_clause, struct dt_clausemeta */
	struct dt_vec vars;                  /* struct dvm_var */
	struct dt_vec dvmaggs, aggmeta;      /* struct dvm_agg, struct dt_aggmeta */
	struct dt_vec enabs;                 /* struct dt_enab */
	struct dt_vec fmts;                  /* struct dt_fmt *, to be freed */
	uint32_t nclause;      /* for names: dt_clause_N */
	bool destructive;
	bool ready;            /* built-in names and types are there */
};

/* ---- Tokens ---- */

enum dt_tkn {
	DT_TK_EOF, DT_TK_INT, DT_TK_STRING, DT_TK_IDENT, DT_TK_AGG, DT_TK_PSPEC, DT_TK_EPRED /* the / that ends a predicate */,
	/* punctuation */
	DT_TK_LPAR, DT_TK_RPAR, DT_TK_LBRAC, DT_TK_RBRAC, DT_TK_LBRACE, DT_TK_RBRACE, DT_TK_SEMI, DT_TK_COMMA, DT_TK_COLON,
	DT_TK_QUEST, DT_TK_DOT, DT_TK_ARROW, DT_TK_ELLIPSIS, DT_TK_ASSIGN, DT_TK_ADDEQ, DT_TK_SUBEQ, DT_TK_MULEQ, DT_TK_DIVEQ,
	DT_TK_MODEQ, DT_TK_ANDEQ, DT_TK_OREQ, DT_TK_XOREQ, DT_TK_SHLEQ, DT_TK_SHREQ, DT_TK_INC, DT_TK_DEC, DT_TK_ADD, DT_TK_SUB,
	DT_TK_MUL, DT_TK_DIV, DT_TK_MOD, DT_TK_AND, DT_TK_OR, DT_TK_XOR, DT_TK_SHL, DT_TK_SHR, DT_TK_LAND, DT_TK_LOR, DT_TK_LXOR,
	DT_TK_EQ, DT_TK_NE, DT_TK_LT, DT_TK_LE, DT_TK_GT, DT_TK_GE, DT_TK_NOT, DT_TK_BNOT,
};

enum dt_kw { /* keyword of an IDENT token */
	DT_KW_NONE, DT_KW_AUTO, DT_KW_CHAR, DT_KW_CONST, DT_KW_DOUBLE, DT_KW_ELSE, DT_KW_ENUM, DT_KW_EXTERN, DT_KW_FLOAT, DT_KW_IF,
	DT_KW_INLINE, DT_KW_INT, DT_KW_LONG, DT_KW_OFFSETOF, DT_KW_PROVIDER, DT_KW_REGISTER, DT_KW_RESTRICT, DT_KW_SELF, DT_KW_SHORT,
	DT_KW_SIGNED, DT_KW_SIZEOF, DT_KW_STATIC, DT_KW_STRING, DT_KW_STRINGOF, DT_KW_STRUCT, DT_KW_THIS, DT_KW_TRANSLATOR,
	DT_KW_TYPEDEF, DT_KW_UNION, DT_KW_UNSIGNED, DT_KW_VOID, DT_KW_VOLATILE, DT_KW_XLATE, DT_KW_RESERVED,
};

struct dt_token {
	uint8_t kind; /* enum dt_tkn */
	uint8_t kw;   /* enum dt_kw */
	bool decimal; /* INT */
	bool neg;     /* INT: val is to be negated (a macro argument) */
	bool has_u;   /* INT: suffix u */
	uint8_t longs; /* INT: number of l in the suffix */
	uint32_t line;
	uint32_t len; /* STRING: bytes without the NUL */
	const char *text;  /* IDENT, AGG (without @), PSPEC, STRING (decoded) */
	const char *start; /* in the source, for messages */
	uint32_t srclen;
	uint64_t val; /* INT */
};

/* ---- One compilation ---- */

struct dt_cc {
	struct dt_prog *p;
	const struct dt_source *src;
	struct err *e;
	jmp_buf jb;
	/* lexer */
	const char *pos;
	uint32_t line;
	const char *filetag; /* file named by a # line, NULL if none */
	const char *region;  /* "action list", "predicate" while one is checked */
	bool bol;          /* at the beginning of a line */
	bool prelude;      /* the text is the compiler's own */
	bool in_pred;      /* a / may end the predicate */
	uint32_t nest;
	struct dt_token tok;
	bool *argused;     /* of the macro arguments */
	/* names of this compilation */
	struct dt_map locals;
	/* the clause at work */
	const struct dt_probe **probe; /* those its description matches */
	uint32_t nprobe;
	struct dt_vec probes;          /* room for them */
	const char *desctext;
	bool abi_matters;  /* args[] have types that differ between the ABIs that match */
	bool in_clause;
	/* code generator */
	uint32_t top;      /* next free register */
	bool create;       /* the address at work will be written through: structures of dynamic variables are made */
	uint32_t start;    /* first instruction of the clause */
	uint32_t flags;    /* DVM_CL_* */
	struct dt_vec acts; /* struct dt_act of the clause */
	uint32_t matched;
	uint32_t expanding; /* inlines and translators inside each other now */
	uint32_t expanded; /* nodes that inlines and translators made in this clause */
	struct dt_vec parsed; /* struct dt_clause * in order */
};

/* mem.c */
void *dt_alloc(struct dt_cc *c, size_t n) __attribute__((returns_nonnull)); /* zeroed */
char *dt_strndup(struct dt_cc *c, const char *s, size_t n);
const char *dt_sprintf(struct dt_cc *c, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* at most 255 bytes */
void *dt_push(struct dt_cc *c, struct dt_vec *v, size_t elem, uint32_t n);  /* room for n more, zeroed; the first's address */
void *dt_map_get(const struct dt_map *m, const char *name);
void dt_map_put(struct dt_cc *c, struct dt_map *m, const char *name, void *value);
_Noreturn void dt_fail(struct dt_cc *c, uint32_t line, enum dt_errtag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Fails with what a helper put into c->e. */
_Noreturn void dt_fail_err(struct dt_cc *c, uint32_t line);
uint32_t dt_strtab(struct dt_cc *c, const char *s, size_t len); /* offset of a text in the image */

/* lex.c, lex_num.c, macro.c, pragma.c */
void dt_lex(struct dt_cc *c);       /* next token of a clause or declaration into c->tok */
void dt_lex_top(struct dt_cc *c);   /* next token between clauses */
size_t dt_lex_number(struct dt_cc *c, struct dt_token *t, const char *s);
size_t dt_lex_unescape(char *s, size_t len); /* C escapes in place; returns the new length */
bool dt_lex_is_ident(int ch, bool first);
enum dt_kw dt_lex_keyword(const char *s);
_Noreturn void dt_syntax(struct dt_cc *c); /* "syntax error near ..." at the current token */
void dt_macro(struct dt_cc *c, struct dt_token *t); /* c->pos is behind the $ */
char *dt_macro_pspec(struct dt_cc *c, const char *s, size_t len, uint32_t line); /* expands $x in a probe description */
void dt_control(struct dt_cc *c);   /* a # line; c->pos is behind the # */

/* parse.c, parse_expr.c, parse_decl.c */
void dt_parse(struct dt_cc *c);     /* the whole source: compiles each clause as it comes */
struct dt_node *dt_parse_expr(struct dt_cc *c);        /* with commas */
struct dt_node *dt_parse_assign(struct dt_cc *c);      /* without */
struct dt_node *dt_node_new(struct dt_cc *c, enum dt_nkind kind, uint32_t line);
struct dt_node *dt_node_int(struct dt_cc *c, int64_t v, struct dt_type *t, uint32_t line);
void dt_node_depth(struct dt_cc *c, struct dt_node *n); /* from its children */
void dt_nest(struct dt_cc *c);      /* one level deeper; fails at the limit */
bool dt_parse_is_type(struct dt_cc *c);                /* does the token begin a type name? */
struct dt_type *dt_parse_typename(struct dt_cc *c);
void dt_parse_decl(struct dt_cc *c);                   /* a declaration up to its ; (left as the current token) */
bool dt_accept(struct dt_cc *c, enum dt_tkn k);
void dt_expect(struct dt_cc *c, enum dt_tkn k);

/* prelude.c */
void dt_prelude(struct dt_cc *c);

/* types.c */
void dt_types_init(struct dt_cc *c);
struct dt_type *dt_resolve(struct dt_type *t);          /* behind typedef and qualifiers */
struct dt_type *dt_type_ptr(struct dt_cc *c, struct dt_type *t);
struct dt_type *dt_type_array(struct dt_cc *c, struct dt_type *elem, uint32_t n);
struct dt_type *dt_type_alias(struct dt_cc *c, struct dt_type *t, const char *name);
uint64_t dt_type_size(struct dt_type *t);               /* 0: unknown or none; strings: 0 */
uint32_t dt_strsize(struct dt_cc *c);                    /* what a string takes, as the options are now */
uint32_t dt_type_align(struct dt_type *t);
const char *dt_type_name(struct dt_cc *c, struct dt_type *t);
bool dt_type_same(struct dt_type *a, struct dt_type *b);
struct dt_type *dt_type_named(struct dt_cc *c, const char *name);  /* "int", "size_t", "struct stat"; NULL if unknown */
/* What tables call a type: "const char *", "struct stat *"; NULL if unknown. As a call of that ABI has it. */
struct dt_type *dt_type_lookup_abi(struct dt_cc *c, enum lx_abi abi, const char *text);
struct dt_type *dt_type_lookup(struct dt_cc *c, const char *text);
struct dt_type *dt_type_lx(struct dt_cc *c, enum lx_abi abi, const char *name); /* types_lx.c */
struct dt_type *dt_type_in_clause(struct dt_cc *c, struct dt_type *t);
struct dt_type *dt_type_promote(struct dt_cc *c, struct dt_type *t);
struct dt_type *dt_type_arith(struct dt_cc *c, struct dt_type *a, struct dt_type *b); /* usual arithmetic conversions */
int64_t dt_type_convert(struct dt_type *t, int64_t v);  /* constant v as integer type t, as it stands in a register */
struct dt_member *dt_type_member(struct dt_type *t, const char *name, uint32_t *off);
bool dt_is_int(struct dt_type *t);     /* integers and enumerations */
bool dt_is_ptr(struct dt_type *t);     /* pointers and arrays, not strings */
bool dt_is_string(struct dt_type *t);
bool dt_is_strcompat(struct dt_type *t); /* strings, char arrays, char pointers */
bool dt_is_scalar(struct dt_type *t);
bool dt_is_byref(struct dt_type *t);   /* struct, union, array: its value is its address */
bool dt_is_void(struct dt_type *t);
bool dt_is_dyn(struct dt_type *t);
bool dt_is_signed(struct dt_type *t);
struct dt_type *dt_pointee(struct dt_type *t); /* of a pointer or array */
bool dt_is_vfptr(struct dt_type *t);   /* pointer to void or function */

/* ident.c, consts.c */
void dt_funcs_init(struct dt_cc *c);  /* check_call.c */
void dt_consts_init(struct dt_cc *c); /* E*, SIG*, O_*, DTRACEFLT_* */
void dt_idents_init(struct dt_cc *c);
struct dt_ident *dt_ident_new(struct dt_cc *c, struct dt_map *m, const char *name, enum dt_idkind kind, uint32_t line);
struct dt_ident *dt_var_new(struct dt_cc *c, enum dvm_scope scope, const char *name, bool assoc, uint32_t line);
void dt_var_settype(struct dt_cc *c, struct dt_ident *id, struct dt_type *t); /* also lays out its image variable */
struct dt_map *dt_scope_map(struct dt_cc *c, enum dvm_scope scope);
const char *dt_idkind_name(enum dt_idkind k);

/* check.c and its parts: they type a tree, fold constants, and return the node that takes its place */
struct dt_node *dt_check(struct dt_cc *c, struct dt_node *n);         /* a value is wanted */
struct dt_node *dt_check_stmt(struct dt_cc *c, struct dt_node *n);    /* as a statement: actions and aggregations too */
void dt_check_list(struct dt_cc *c, struct dt_node **list);           /* keys and arguments; aggregations may be named */
void dt_check_call(struct dt_cc *c, struct dt_node *n);
void dt_check_agg(struct dt_cc *c, struct dt_node *n);                /* @a[...] = f(...) */
void dt_check_keys(struct dt_cc *c, struct dt_node *n, struct dt_ident *id, const char *pre);
struct dt_node *dt_check_var(struct dt_cc *c, struct dt_node *n, bool create);
struct dt_node *dt_check_assign(struct dt_cc *c, struct dt_node *n);
struct dt_node *dt_check_incdec(struct dt_cc *c, struct dt_node *n);
struct dt_node *dt_check_member(struct dt_cc *c, struct dt_node *n);
struct dt_node *dt_check_index(struct dt_cc *c, struct dt_node *n);
struct dt_node *dt_check_inline(struct dt_cc *c, struct dt_ident *id, struct dt_node *args, uint32_t line);
struct dt_node *dt_check_xlate(struct dt_cc *c, struct dt_node *n);
struct dt_node *dt_fold(struct dt_cc *c, struct dt_node *n);
bool dt_argcompat(struct dt_type *to, struct dt_node *from); /* may from be passed or assigned to to? */
bool dt_ptrcompat(struct dt_node *a, struct dt_node *b);
bool dt_is_zero(const struct dt_node *n);                    /* the constant 0: fits any pointer and string */
struct dt_node *dt_node_clone(struct dt_cc *c, struct dt_node *n, const struct dt_param *par, struct dt_node *const *arg);
const char *dt_op_name(enum dt_op op);

/* codegen.c and its parts */
void dt_gen_clause(struct dt_cc *c, struct dt_clause *cl, struct dt_desc *d);
int dt_gen(struct dt_cc *c, struct dt_node *n);      /* value into a new register, which is returned */
int dt_gen_as(struct dt_cc *c, struct dt_node *n, struct dt_type *t); /* ... converted to t */
void dt_gen_void(struct dt_cc *c, struct dt_node *n); /* for its effect; registers are given back */
void dt_gen_action(struct dt_cc *c, struct dt_node *n);
void dt_gen_agg(struct dt_cc *c, struct dt_node *n);
int dt_gen_keys(struct dt_cc *c, struct dt_node *keys, struct dt_ident *id);  /* into registers; the first */
void dt_emit_tuple(struct dt_cc *c, int base, struct dt_node *keys, struct dt_ident *id); /* from those */
void dt_gen_tuple(struct dt_cc *c, struct dt_node *keys, struct dt_ident *id); /* TRST and the keys */
int dt_gen_call(struct dt_cc *c, struct dt_node *n);
int dt_reg(struct dt_cc *c);
uint32_t dt_emit(struct dt_cc *c, int op, int rd, int ra, int rb, int32_t imm);
void dt_patch(struct dt_cc *c, uint32_t jump);       /* jump goes to the next instruction */
void dt_emit_const(struct dt_cc *c, int rd, int64_t v);
void dt_emit_conv(struct dt_cc *c, int r, struct dt_type *from, struct dt_type *to);
void dt_val_of(struct dt_cc *c, struct dt_type *t, struct dt_val *v); /* how a value of that type is shown */

#endif
