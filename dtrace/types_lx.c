/* D types of the structures that system calls take, from the table's layouts: made when a program first names them. The
 * plain name is the 64-bit layout; what sys32 calls pass has types of its own. */
#include "dtrace/dt_impl.h"

#include <stdio.h>
#include <string.h>

#include "lx_syscall/decode.h"

/* An integer type of that many bytes; the table's own name where it fits. */
static struct dt_type *number(struct dt_cc *c, const struct lx_field *f)
{
	struct dt_type *t = dt_type_lookup(c, f->type);
	int width = f->width < 0 ? -f->width : f->width;
	char name[16];

	if (t && dt_type_size(t) == (uint64_t)width)
		return t;
	snprintf(name, sizeof(name), "%sint%d_t", f->width < 0 ? "" : "u", width * 8);
	return dt_type_lookup(c, name);
}

/* t, or, if it points to a structure of the table, a pointer to that structure as the current clause's probes have it. A clause
 * whose probes are of both ABIs is compiled for each. */
struct dt_type *dt_type_in_clause(struct dt_cc *c, struct dt_type *t)
{
	struct dt_type *to = dt_resolve(dt_pointee(t));
	enum lx_abi abi = c->nprobe ? (enum lx_abi)c->probe[0]->abi : LX_SYS64;
	uint32_t i;

	if (!to || dt_resolve(t)->kind != DT_T_PTR || !to->abi[LX_SYS64])
		return t;
	for (i = 1; i < c->nprobe; i++)
		if (c->probe[i]->abi != c->probe[0]->abi)
			c->abi_matters = true;
	if (abi == LX_SYS32 && !to->abi[abi])
		dt_type_lx(c, abi, to->abi[LX_SYS64]->name);
	return !to->abi[abi] || to->abi[abi] == to ? t : dt_type_ptr(c, to->abi[abi]);
}

struct dt_type *dt_type_lx(struct dt_cc *c, enum lx_abi abi, const char *name)
{
	const struct lx_struct *s = lx_struct_by_type(abi, name);
	struct dt_member **end;
	struct dt_type *t;
	const char *key;
	char text[128];
	unsigned i;

	if (!s || snprintf(text, sizeof(text), "%s%s", abi == LX_SYS32 ? "sys32 " : "", name) >=
			  (int)sizeof(text))
		return NULL;
	t = dt_map_get(&c->p->types, text);
	if (t)
		return t;
	key = dt_strndup(c, text, strlen(text));
	t = dt_alloc(c, sizeof(*t));
	t->kind = DT_T_STRUCT;
	t->name = abi == LX_SYS32 ? dt_sprintf(c, "sys32`%s", s->type) : s->type;
	t->size = s->size;
	t->align = 8;
	t->complete = t->given = true;
	end = &t->member;
	for (i = 0; i < s->nfields; i++) {
		const struct lx_field *f = &s->fields[i];
		struct dt_type *mt = f->width ? number(c, f) : dt_type_lx(c, abi, f->type);
		struct dt_member *m;

		if (!mt)
			continue;
		m = *end = dt_alloc(c, sizeof(*m));
		m->name = f->name;
		m->type = f->count ? dt_type_array(c, mt, f->count) : mt;
		m->off = f->off;
		end = &m->next;
	}
	dt_map_put(c, &c->p->types, key, t);
	t->abi[abi] = t;
	if (abi == LX_SYS32) { /* both layouts count as one type: each knows the other */
		struct dt_type *other = dt_type_lx(c, LX_SYS64, name);

		if (other && other->abi[LX_SYS64]) {
			t->abi[LX_SYS64] = other;
			other->abi[LX_SYS32] = t;
		}
	}
	return t;
}
