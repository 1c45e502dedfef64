/* Checking of calls: functions, actions and aggregating functions with their prototypes, and of tuples. */
#include "dtrace/dt_impl.h"

#include <stdio.h>
#include <string.h>

#include "dtrace/action_impl.h"

/* Prototypes: the result's type, then a letter for each argument; those behind [ may be left out, . takes any more.
 * s const char *, u uintptr_t, z size_t, i int, l int64_t, h uint16_t, w uint32_t, q uint64_t, p void *,
 * @ anything (checked where the action is). */
static const struct {
	const char *name;
	uint8_t kind;
	uint16_t code;
	const char *ret, *args;
} funcs[] = {
#define F(name, code, ret, args) { name, DT_ID_FUNC, DVM_F_##code, ret, args }
#define A(name, code, args) { name, DT_ID_ACT, DT_A_##code, "void", args }
#define G(name, code, args) { name, DT_ID_AGGFUNC, DVM_AGG_##code, "void", args }
	F("alloca", ALLOCA, "void *", "z"), F("basename", BASENAME, "string", "s"), F("bcopy", BCOPY, "void", "ppz"),
	F("cleanpath", CLEANPATH, "string", "s"), F("copyin", COPYIN, "void *", "uz"), F("copyinstr", COPYINSTR, "string", "u[z"),
	F("copyinto", COPYINTO, "void", "uzp"), F("copyout", COPYOUT, "void", "puz"), F("copyoutstr", COPYOUTSTR, "void", "su[z"),
	F("dirname", DIRNAME, "string", "s"), F("getmajor", GETMAJOR, "major_t", "q"), F("getminor", GETMINOR, "minor_t", "q"),
	F("htonl", HTONL, "uint32_t", "w"), F("htonll", HTONLL, "uint64_t", "q"), F("htons", HTONS, "uint16_t", "h"),
	F("index", INDEX, "int", "ss[i"), F("inet_ntoa", INET_NTOA, "string", "p"), F("inet_ntoa6", INET_NTOA6, "string", "p"),
	F("inet_ntop", INET_NTOP, "string", "ip"), F("lltostr", LLTOSTR, "string", "l[i"), F("ntohl", NTOHL, "uint32_t", "w"),
	F("ntohll", NTOHLL, "uint64_t", "q"), F("ntohs", NTOHS, "uint16_t", "h"), F("progenyof", PROGENYOF, "int", "i"),
	F("rand", RAND, "int", ""), F("rindex", RINDEX, "int", "ss[i"), F("strchr", STRCHR, "string", "si"),
	F("strjoin", STRJOIN, "string", "ss"), F("strlen", STRLEN, "size_t", "s"), F("strrchr", STRRCHR, "string", "si"),
	F("strstr", STRSTR, "string", "ss"), F("strtok", STRTOK, "string", "ss"), F("strtoll", STRTOLL, "int64_t", "s[i"),
	F("substr", SUBSTR, "string", "si[i"), F("tolower", TOLOWER, "string", "s"), F("toupper", TOUPPER, "string", "s"),
	A("chill", CHILL, "i"), A("clear", CLEAR, "."), A("denormalize", DENORMALIZE, "."), A("exit", EXIT, "i"),
	A("freopen", FREOPEN, "@."), A("ftruncate", FTRUNCATE, ""), A("normalize", NORMALIZE, "."), A("print", PRINT, "@"),
	A("printa", PRINTA, "@."), A("printf", PRINTF, "@."), A("raise", RAISE, "i"), A("setopt", SETOPT, "s[s"),
	A("stop", STOP, ""), A("system", SYSTEM, "@."), A("trace", TRACE, "@"), A("tracemem", TRACEMEM, "."), A("trunc", TRUNC, "."),
	G("avg", AVG, "@"), G("count", COUNT, ""), G("llquantize", LLQUANTIZE, "@@@@@[l"), G("lquantize", LQUANTIZE, "@@@[@l"),
	G("max", MAX, "@"), G("min", MIN, "@"), G("quantize", QUANTIZE, "@[l"), G("stddev", STDDEV, "@"), G("sum", SUM, "@"),
#undef F
#undef A
#undef G
};

void dt_funcs_init(struct dt_cc *c)
{
	size_t i;

	for (i = 0; i < sizeof(funcs) / sizeof(*funcs); i++) {
		struct dt_ident *id = dt_ident_new(c, &c->p->globals, funcs[i].name,
						   (enum dt_idkind)funcs[i].kind, 0);

		id->code = funcs[i].code;
		id->type = dt_type_lookup(c, funcs[i].ret);
		id->proto = funcs[i].args;
	}
}

static struct dt_type *proto_type(struct dt_cc *c, char letter)
{
	static const struct {
		char letter;
		const char *type;
	} types[] = {
		{ 's', "char *" }, { 'u', "uintptr_t" }, { 'z', "size_t" }, { 'i', "int" }, { 'l', "int64_t" },
		{ 'h', "uint16_t" }, { 'w', "uint32_t" }, { 'q', "uint64_t" }, { 'p', "void *" },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].letter == letter)
			return dt_type_lookup(c, types[i].type);
	return NULL;
}

static bool proto_fits(struct dt_type *t, char letter, struct dt_node *arg)
{
	switch (letter) {
	case 's':
		return dt_is_strcompat(arg->type) || dt_is_zero(arg); /* strtok(NULL, ...) */
	case 'u': /* an address: a number or a pointer */
		return dt_is_int(arg->type) || dt_is_ptr(arg->type);
	case 'p':
		return dt_is_ptr(arg->type) || dt_is_string(arg->type) || dt_is_zero(arg);
	default:
		return dt_argcompat(t, arg);
	}
}

static void proto_len(struct dt_cc *c, struct dt_node *n, int argc)
{
	const char *p = n->id->proto;
	int min = 0, max = 0;
	bool more = false, opt = false;
	const char *cmp = "";
	int limit;

	for (; *p; p++) {
		if (*p == '[')
			opt = true;
		else if (*p == '.')
			more = true;
		else
			max++, min += !opt;
	}
	if (argc >= min && (more || argc <= max))
		return;
	limit = argc < min ? min : max;
	if (more || (opt && argc < min))
		cmp = "at least ";
	else if (opt)
		cmp = "at most ";
	dt_fail(c, n->line, D_PROTO_LEN, "%s( ) prototype mismatch: %d arg%spassed, %s%d expected",
		n->id->name, argc, argc == 1 ? " " : "s ", cmp, limit);
}

static void check_proto(struct dt_cc *c, struct dt_node *n)
{
	const char *p = n->id->proto;
	struct dt_node *l;
	int argc = 0, i;

	for (l = n->list; l; l = l->next)
		argc++;
	proto_len(c, n, argc);
	for (l = n->list, i = 1; l && *p != '.'; l = l->next, i++) {
		struct dt_type *t;

		p += *p == '[';
		t = proto_type(c, *p);
		if (t && !proto_fits(t, *p, l))
			dt_fail(c, n->line, D_PROTO_ARG,
				"%s( ) argument #%d is incompatible with prototype:\n\tprototype: "
				"%s\n\t argument: %s",
				n->id->name, i, *p == 's' ? "const char *" : dt_type_name(c, t),
				dt_type_name(c, l->type));
		p++;
	}
}

void dt_check_call(struct dt_cc *c, struct dt_node *n)
{
	struct dt_ident *id = dt_map_get(&c->p->globals, n->str);

	if (!id)
		dt_fail(c, n->line, D_FUNC_UNDEF, "undefined function name: %s", n->str);
	if (id->kind != DT_ID_FUNC && id->kind != DT_ID_ACT && id->kind != DT_ID_AGGFUNC)
		dt_fail(c, n->line, D_FUNC_IDKIND, "%s '%s' may not be referenced as a function",
			dt_idkind_name((enum dt_idkind)id->kind), id->name);
	n->id = id;
	n->type = id->type;
	dt_check_list(c, &n->list);
	check_proto(c, n);
	if (id->kind == DT_ID_FUNC && (id->code == DVM_F_COPYOUT || id->code == DVM_F_COPYOUTSTR))
		c->p->destructive = true;
	if (id->kind == DT_ID_ACT)
		dt_check_action(c, n);
}

static void set_keys(struct dt_cc *c, struct dt_node *n, struct dt_ident *id)
{
	struct dt_node *l;
	int i = 0;

	for (l = n->list; l; l = l->next)
		i++;
	if (i > DVM_MAXKEYS)
		dt_fail(c, n->line, D_PROTO_LEN,
			"%s[ ] has too many keys: %d, at most %d are allowed", id->name, i,
			DVM_MAXKEYS);
	id->nkey = i;
	id->key = dt_alloc(c, sizeof(*id->key) * (size_t)(i + 1));
	for (l = n->list, i = 0; l; l = l->next, i++) {
		if (dt_is_dyn(l->type) || dt_is_void(l->type))
			dt_fail(c, n->line, D_KEY_TYPE,
				"%s expression may not be used as %s index: key #%d",
				dt_type_name(c, l->type), dt_idkind_name((enum dt_idkind)id->kind),
				i + 1);
		id->key[i] = l->type;
	}
}

/* The keys of a tuple against those of the first use; the first use sets them. */
void dt_check_keys(struct dt_cc *c, struct dt_node *n, struct dt_ident *id, const char *pre)
{
	struct dt_node *l;
	int i = 0;

	dt_check_list(c, &n->list);
	if (id->nkey < 0) {
		set_keys(c, n, id);
		return;
	}
	for (l = n->list; l; l = l->next)
		i++;
	if (i != id->nkey)
		dt_fail(c, n->line, D_PROTO_LEN,
			"%s%s[ ] prototype mismatch: %d key%spassed, %d expected", pre, id->name, i,
			i == 1 ? " " : "s ", id->nkey);
	for (l = n->list, i = 0; l; l = l->next, i++) {
		struct dt_type *t = id->key[i];

		if (!dt_argcompat(t, l) || (dt_is_byref(t) && !dt_type_same(t, l->type)))
			dt_fail(c, n->line, D_PROTO_ARG,
				"%s%s[ ] key #%d is incompatible with prototype:\n\tprototype: "
				"%s\n\t      key: %s",
				pre, id->name, i + 1, dt_type_name(c, t), dt_type_name(c, l->type));
		/* without a declaration the widest integer used is the key's type, so that no key is cut */
		if (!id->declared && dt_is_int(t) && dt_type_size(l->type) > dt_type_size(t))
			id->key[i] = l->type;
	}
}
