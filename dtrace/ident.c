/* Names: the built-in variables, functions and actions, and the variables that programs make. */
#include "dtrace/dt_impl.h"

#include <stdio.h>
#include <string.h>

const char *dt_idkind_name(enum dt_idkind k)
{
	switch (k) {
	case DT_ID_SCALAR:
	case DT_ID_BUILTIN:
		return "scalar";
	case DT_ID_ARRAY:
	case DT_ID_ARGS:
		return "associative array";
	case DT_ID_FUNC:
		return "function";
	case DT_ID_ACT:
		return "tracing function";
	case DT_ID_AGGFUNC:
		return "aggregating function";
	case DT_ID_AGG:
		return "aggregation";
	case DT_ID_INLINE:
		return "inline";
	case DT_ID_CONST:
		return "enumerator";
	}
	return "name";
}

struct dt_ident *dt_ident_new(struct dt_cc *c, struct dt_map *m, const char *name,
			      enum dt_idkind kind, uint32_t line)
{
	struct dt_ident *id = dt_alloc(c, sizeof(*id));

	id->name = name;
	id->kind = (uint8_t)kind;
	id->line = line;
	id->nkey = -1;
	dt_map_put(c, m, name, id);
	return id;
}

struct dt_map *dt_scope_map(struct dt_cc *c, enum dvm_scope scope)
{
	switch (scope) {
	case DVM_THREAD:
		return &c->p->tls;
	case DVM_LOCAL:
		return &c->locals;
	case DVM_GLOBAL:
		break;
	}
	return &c->p->globals;
}

struct dt_ident *dt_var_new(struct dt_cc *c, enum dvm_scope scope, const char *name, bool assoc,
			    uint32_t line)
{
	struct dt_ident *id = dt_ident_new(c, dt_scope_map(c, scope), name,
					   assoc ? DT_ID_ARRAY : DT_ID_SCALAR, line);
	struct dvm_var *v = dt_push(c, &c->p->vars, sizeof(*v), 1);

	if (c->p->vars.n > INT32_MAX / 2)
		dt_fail(c, line, D_ID_OFLOW,
			"cannot create %s: limit on number of variables exceeded", name);
	id->scope = (uint8_t)scope;
	id->id = c->p->vars.n - 1;
	v->scope = (uint8_t)scope;
	v->assoc = assoc;
	((struct dvm_var *)c->p->vars.v)[id->id].name = dt_strtab(c, name, strlen(name));
	return id;
}

void dt_var_settype(struct dt_cc *c, struct dt_ident *id, struct dt_type *t)
{
	struct dvm_var *v = (struct dvm_var *)c->p->vars.v + id->id;

	id->type = t;
	if (dt_is_string(t)) {
		v->kind = DVM_V_STRING;
	} else if (dt_is_byref(t)) {
		uint64_t size = dt_type_size(t);

		if (!size)
			dt_fail(c, id->line, D_DECL_INCOMPLETE, "variable %s has no size", id->name);
		if (size > DT_MAXOBJECT)
			dt_fail(c, id->line, D_DECL_ARRBIG, "variable %s is too big (%llu bytes)",
				id->name, (unsigned long long)size);
		v->kind = DVM_V_BYREF;
		v->size = (uint32_t)size;
	} else {
		v->kind = DVM_V_INT;
	}
}

static const struct {
	const char *name, *type;
	uint16_t code;
} builtins[] = {
	{ "pid", "pid_t", DVM_B_PID }, { "tid", "tid_t", DVM_B_TID }, { "ppid", "pid_t", DVM_B_PPID }, { "uid", "uid_t", DVM_B_UID },
	{ "gid", "gid_t", DVM_B_GID }, { "zpid", "pid_t", DVM_B_ZPID }, { "ztid", "tid_t", DVM_B_ZTID }, { "zuid", "uid_t", DVM_B_ZUID },
	{ "zgid", "gid_t", DVM_B_ZGID }, { "execname", "string", DVM_B_EXECNAME }, { "zonename", "string", DVM_B_ZONENAME },
	{ "probeprov", "string", DVM_B_PROBEPROV }, { "probemod", "string", DVM_B_PROBEMOD },
	{ "probefunc", "string", DVM_B_PROBEFUNC }, { "probename", "string", DVM_B_PROBENAME }, { "id", "uint_t", DVM_B_ID },
	{ "epid", "uint_t", DVM_B_EPID }, { "timestamp", "uint64_t", DVM_B_TIMESTAMP }, { "vtimestamp", "uint64_t", DVM_B_VTIMESTAMP },
	{ "walltimestamp", "int64_t", DVM_B_WALLTIMESTAMP }, { "errno", "int", DVM_B_ERRNO }, { "cpu", "processorid_t", DVM_B_CPU },
	{ "lxhow", "string", DVM_B_LXHOW }, { "lxcost", "uint64_t", DVM_B_LXCOST }, { "cwd", "string", DVM_B_CWD },
	{ "root", "string", DVM_B_ROOT },
};

void dt_idents_init(struct dt_cc *c)
{
	struct dt_map *m = &c->p->globals;
	struct dt_ident *id;
	size_t i;

	for (i = 0; i < DVM_MAXARGS; i++) {
		char name[8];

		snprintf(name, sizeof(name), "arg%zu", i);
		id = dt_ident_new(c, m, dt_strndup(c, name, strlen(name)), DT_ID_BUILTIN, 0);
		id->type = c->p->t_int64;
		id->code = DVM_B_ARG;
		id->value = (int64_t)i;
	}
	for (i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		id = dt_ident_new(c, m, builtins[i].name, DT_ID_BUILTIN, 0);
		id->type = dt_type_lookup(c, builtins[i].type);
		id->code = builtins[i].code;
	}
	dt_ident_new(c, m, "args", DT_ID_ARGS, 0);
	id = dt_ident_new(c, m, "NULL", DT_ID_CONST, 0);
	id->type = c->p->t_int;
	dt_funcs_init(c);
	dt_consts_init(c);
}
