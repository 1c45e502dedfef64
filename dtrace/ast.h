/* The tree of a D program between parser, checker and code generator. Nodes live in the program's arena and are never
 * freed singly. The parser makes them untyped; the checker gives each a type and resolves names; it may see a tree
 * twice (one clause, several probe descriptions), so what it writes is the same each time or replaced. */
#ifndef DTRACE_AST_H
#define DTRACE_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Types ---- */

enum dt_tkind {
	DT_T_VOID, DT_T_INT, DT_T_FLOAT, DT_T_STRING, DT_T_PTR, DT_T_ARRAY, DT_T_STRUCT, DT_T_UNION, DT_T_ENUM, DT_T_FUNC,
	DT_T_ALIAS, /* typedef, const, volatile: ref says of what */
	DT_T_DYN,   /* an aggregation, or a variable that nothing has given a type yet */
};

struct dt_member {
	const char *name; /* NULL: unnamed struct or union, or padding bit-field */
	struct dt_type *type;
	uint32_t off;     /* bytes */
	uint8_t bitoff;   /* of a bit-field: first bit, counted from off */
	uint8_t bits;     /* of a bit-field: width; 0 = no bit-field */
	struct dt_member *next;
};

struct dt_type {
	uint8_t kind;      /* enum dt_tkind */
	bool is_signed;    /* INT, ENUM */
	bool is_char;      /* INT: plain, signed or unsigned char */
	bool complete;     /* STRUCT, UNION, ENUM: defined, not only declared */
	bool given;        /* came with the compiler: a program may define its own of that name */
	uint32_t size;     /* INT, FLOAT, PTR, STRUCT, UNION, ENUM: bytes */
	uint32_t align;
	uint32_t nelem;    /* ARRAY */
	struct dt_type *ref; /* PTR, ARRAY, FUNC, ALIAS */
	struct dt_type *ptr; /* the pointer type to this one, once made */
	struct dt_type *abi[2]; /* the same structure as each ABI lays it out (types_lx.c) */
	const char *name;  /* "int", "struct foo"; ALIAS: a typedef's name, "const", or NULL */
	struct dt_member *member; /* STRUCT, UNION */
	struct dt_enumtag *tag;   /* ENUM */
};

struct dt_enumtag {
	const char *name;
	int32_t value;
	struct dt_enumtag *next;
};

/* ---- Names ---- */

enum dt_idkind {
	DT_ID_SCALAR,  /* variable */
	DT_ID_ARRAY,   /* associative array */
	DT_ID_BUILTIN, /* variable of the machine; code is DVM_B_* */
	DT_ID_ARGS,    /* args[] */
	DT_ID_FUNC,    /* function of the machine; code is DVM_F_* */
	DT_ID_ACT,     /* action; code is DT_A_* */
	DT_ID_AGGFUNC, /* aggregating function; code is DVM_AGG_* */
	DT_ID_AGG,     /* aggregation */
	DT_ID_INLINE,  /* name for an expression */
	DT_ID_CONST,   /* enumerator */
};

struct dt_ident {
	const char *name;
	uint8_t kind;      /* enum dt_idkind */
	uint8_t scope;     /* enum dvm_scope of a variable */
	bool declared;     /* its type and keys come from a declaration */
	bool user;         /* holds pointers into the guest */
	bool pointed;      /* a pointer was assigned: user is decided */
	bool assigned;     /* an aggregation that some clause fills */
	uint16_t code;
	uint32_t id;       /* index into the image's vars or aggs */
	uint32_t line;     /* of its first use or declaration */
	struct dt_type *type; /* NULL while unknown */
	int nkey;          /* -1 while unknown */
	struct dt_type **key;
	const char *proto; /* of functions and actions, see check_call.c */
	int64_t value;     /* CONST */
	struct dt_node *expr; /* INLINE */
	struct dt_param *param; /* INLINE with parameters; nkey of them */
};

struct dt_param {
	const char *name;
	struct dt_type *type;
	struct dt_param *next;
};

/* ---- Nodes ---- */

enum dt_nkind {
	DT_N_INT,    /* val */
	DT_N_STRING, /* str, len */
	DT_N_IDENT,  /* str: not resolved yet */
	DT_N_AGG,    /* str, id; list = keys; a = the aggregating function's call when it is assigned */
	DT_N_VAR,    /* id; list = keys of an associative array */
	DT_N_ARG,    /* args[val] */
	DT_N_CALL,   /* str, id; list = arguments */
	DT_N_UNARY,  /* op a */
	DT_N_BINARY, /* a op b */
	DT_N_ASSIGN, /* a op b; op is DT_OP_ASSIGN or that of += and so on */
	DT_N_INCDEC, /* op (ADD, SUB) applied to a; val 1 = postfix */
	DT_N_COND,   /* a ? b : c */
	DT_N_CAST,   /* (ctype) a */
	DT_N_SIZEOF, /* sizeof a, or sizeof (ctype) */
	DT_N_OFFSETOF, /* offsetof(ctype, str) */
	DT_N_INDEX,  /* a[list] */
	DT_N_MEMBER, /* a . str or a -> str (op DT_OP_DOT, DT_OP_ARROW); member once checked */
	DT_N_XLATE,  /* xlate <ctype> (a) */
	DT_N_COMMA,  /* a, b */
};

enum dt_op {
	DT_OP_NONE, DT_OP_ADD, DT_OP_SUB, DT_OP_MUL, DT_OP_DIV, DT_OP_MOD, DT_OP_AND, DT_OP_OR, DT_OP_XOR, DT_OP_SHL, DT_OP_SHR,
	DT_OP_EQ, DT_OP_NE, DT_OP_LT, DT_OP_LE, DT_OP_GT, DT_OP_GE, DT_OP_LAND, DT_OP_LOR, DT_OP_LXOR,
	DT_OP_ASSIGN, DT_OP_NEG, DT_OP_PLUS, DT_OP_BNOT, DT_OP_LNOT, DT_OP_DEREF, DT_OP_ADDR, DT_OP_STRINGOF,
	DT_OP_DOT, DT_OP_ARROW,
};

#define DT_NF_LVALUE   1u
#define DT_NF_WRITABLE 2u
#define DT_NF_USER     4u /* a pointer into the guest, or an object that lies there */
#define DT_NF_TUPLE    8u /* evaluating it builds a tuple */

struct dt_node {
	uint8_t kind;   /* enum dt_nkind */
	uint8_t op;     /* enum dt_op */
	uint8_t flags;  /* DT_NF_*, set by the checker */
	uint16_t depth; /* of the tree below it; bounds recursion */
	uint32_t line;
	uint32_t len;   /* STRING: bytes without the NUL */
	struct dt_type *type;  /* set by the checker */
	struct dt_type *ctype; /* CAST, SIZEOF, OFFSETOF, XLATE: the type named; BINARY: the type the operation is done in */
	uint64_t val;
	const char *str;
	struct dt_ident *id;
	struct dt_member *member;
	struct dt_node *a, *b, *c;
	struct dt_node *list; /* first argument or key */
	struct dt_node *next; /* in a list */
};

/* ---- Clauses ---- */

enum dt_skind { DT_S_EXPR, DT_S_IF, DT_S_NULL };

struct dt_stmt {
	uint8_t kind; /* enum dt_skind */
	uint32_t line;
	struct dt_node *expr;
	struct dt_stmt *then, *otherwise; /* IF */
	struct dt_stmt *next;
};

struct dt_desc { /* one probe description of a clause */
	const char *text;
	uint32_t line;
	uint32_t id;  /* a lone number: that probe */
	struct dt_desc *next;
};

struct dt_clause {
	struct dt_desc *desc;
	struct dt_node *pred;
	struct dt_stmt *stmt;
	bool has_body;
};

#endif
