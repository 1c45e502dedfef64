/* A declaration on its way through the parser. */
#ifndef DTRACE_DECL_IMPL_H
#define DTRACE_DECL_IMPL_H

#include "dtrace/dt_impl.h"

enum dt_class { DT_DC_NONE, DT_DC_EXTERN, DT_DC_TYPEDEF, DT_DC_SELF, DT_DC_THIS, DT_DC_INLINE };

struct dt_spec { /* what stands before the first declarator */
	enum dt_class cls;
	bool tagged;    /* a struct, union or enum specifier: the declaration may go without a declarator */
	struct dt_type *type;
};

struct dt_declr { /* one declarator */
	const char *name; /* NULL if abstract */
	uint32_t line;
	struct dt_type *type;
	bool assoc;       /* int a[int, string]: type is the value's */
	int nkey;
	struct dt_type **key;
	struct dt_param *param; /* names of the keys: parameters of an inline */
};

void dt_parse_spec(struct dt_cc *c, struct dt_spec *sp);
void dt_parse_declarator(struct dt_cc *c, struct dt_type *base, struct dt_declr *d);
struct dt_type *dt_parse_sou(struct dt_cc *c, bool is_union);  /* the token is behind struct or union */
struct dt_type *dt_parse_enum(struct dt_cc *c);
int64_t dt_parse_const(struct dt_cc *c, enum dt_errtag tag, const char *what);
void dt_parse_translator(struct dt_cc *c);

#endif
