/* Checking of actions: what their arguments must be beyond a prototype. */
#include "dtrace/action_impl.h"

#include <string.h>

static int count(struct dt_node *l)
{
	int n = 0;

	for (; l; l = l->next)
		n++;
	return n;
}

/* An argument that must name an aggregation that some clause fills. */
static void need_agg(struct dt_cc *c, struct dt_node *call, struct dt_node *n, int i,
		     enum dt_errtag arg, enum dt_errtag bad)
{
	if (n->kind != DT_N_AGG)
		dt_fail(c, call->line, arg,
			"%s( ) argument #%d is incompatible with prototype:\n\tprototype: "
			"aggregation\n\t argument: %s",
			call->id->name, i, dt_type_name(c, n->type));
	n->id = dt_map_get(&c->p->aggs, n->str);
	if (!n->id || !n->id->assigned)
		dt_fail(c, call->line, bad, "undefined aggregation: @%s", n->str);
}

static void check_printa(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *l = n->list, *first = NULL;
	int i, k, min = l->kind == DT_N_STRING ? 2 : 1;

	if (count(l) < min)
		dt_fail(c, n->line, D_PRINTA_PROTO,
			"printa( ) prototype mismatch: %d args passed, %d expected", count(l), min);
	if (l->kind == DT_N_STRING)
		l = l->next;
	for (i = min; l; l = l->next, i++) {
		need_agg(c, n, l, i, D_PRINTA_AGGARG, D_PRINTA_AGGBAD);
		if (!first) {
			first = l;
			continue;
		}
		if (l->id->nkey != first->id->nkey)
			dt_fail(c, n->line, D_PRINTA_AGGKEY,
				"printa( ): @%s and @%s do not have matching key signatures: @%s "
				"has %d key%s, @%s "
				"has %d key%s",
				first->str, l->str, first->str, first->id->nkey,
				first->id->nkey == 1 ? "" : "s", l->str, l->id->nkey,
				l->id->nkey == 1 ? "" : "s");
		for (k = 0; k < l->id->nkey; k++) {
			struct dt_node key = { .type = l->id->key[k] };

			if (!dt_argcompat(first->id->key[k], &key))
				dt_fail(c, n->line, D_PRINTA_AGGPROTO,
					"printa( ): @%s[ ] key #%d is incompatible with @%s:\n%9s "
					"key #%d: %s\n"
					"%9s key #%d: %s",
					l->str, k + 1, first->str, first->str, k + 1,
					dt_type_name(c, first->id->key[k]), l->str, k + 1,
					dt_type_name(c, l->id->key[k]));
		}
	}
}

static void check_trunc(struct dt_cc *c, struct dt_node *n)
{
	int argc = count(n->list);

	if (argc < 1 || argc > 2)
		dt_fail(c, n->line, D_TRUNC_PROTO,
			"%s( ) prototype mismatch: %d args passed, %s expected", n->id->name, argc,
			argc < 1 ? "at least 1" : "no more than 2");
	need_agg(c, n, n->list, 1, D_TRUNC_AGGARG, D_TRUNC_AGGBAD);
	if (argc == 2 && !dt_is_scalar(n->list->next->type))
		dt_fail(c, n->line, D_TRUNC_SCALAR, "%s( ) argument #2 must be of scalar type",
			n->id->name);
}

static void check_normalize(struct dt_cc *c, struct dt_node *n)
{
	int argc = count(n->list), want = n->id->code == DT_A_NORMALIZE ? 2 : 1;

	if (argc != want)
		dt_fail(c, n->line, D_NORMALIZE_PROTO,
			"%s( ) prototype mismatch: %d args passed, %d expected", n->id->name, argc,
			want);
	need_agg(c, n, n->list, 1, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD);
	if (want == 2 && !dt_is_scalar(n->list->next->type))
		dt_fail(c, n->line, D_NORMALIZE_SCALAR, "%s( ) argument #2 must be of scalar type",
			n->id->name);
}

static void check_tracemem(struct dt_cc *c, struct dt_node *n)
{
	int argc = count(n->list);
	struct dt_node *size;

	if (argc < 2 || argc > 3)
		dt_fail(c, n->line, D_TRACEMEM_ARGS,
			"%s( ) prototype mismatch: %d arg%spassed, 2 or 3 expected", n->id->name,
			argc, argc == 1 ? " " : "s ");
	size = n->list->next;
	if (!dt_is_int(n->list->type) && !dt_is_ptr(n->list->type))
		dt_fail(c, n->line, D_TRACEMEM_ADDR,
			"tracemem( ) argument #1 is incompatible with prototype:\n\tprototype: "
			"pointer or integer\n"
			"\t argument: %s",
			dt_type_name(c, n->list->type));
	if (size->kind != DT_N_INT || (int64_t)size->val <= 0 || size->val > DT_MAXOBJECT)
		dt_fail(c, n->line, D_TRACEMEM_SIZE,
			"tracemem( ) argument #2 must be a non-zero positive integral constant "
			"expression");
	if (size->next && !dt_is_int(size->next->type))
		dt_fail(c, n->line, D_TRACEMEM_DYNSIZE,
			"tracemem( ) argument #3 is incompatible with prototype:\n\tprototype: "
			"integer\n"
			"\t argument: %s",
			dt_type_name(c, size->next->type));
}

static void check_trace(struct dt_cc *c, struct dt_node *n)
{
	bool print = n->id->code == DT_A_PRINT;
	struct dt_node *a = n->list;

	if (a->kind == DT_N_AGG)
		dt_fail(c, n->line, print ? D_PRINT_AGG : D_TRACE_AGG,
			"%s( ) may not be applied to an aggregation", n->id->name);
	if (dt_is_void(a->type))
		dt_fail(c, n->line, print ? D_PRINT_VOID : D_TRACE_VOID,
			"%s( ) may not be applied to a void expression", n->id->name);
	if (dt_is_dyn(a->type))
		dt_fail(c, n->line, print ? D_PRINT_DYN : D_TRACE_DYN,
			"%s( ) may not be applied to a dynamic expression", n->id->name);
}

static void check_format(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *fmt = n->list, *l;
	int i = 2;

	if (fmt->kind != DT_N_STRING)
		dt_fail(c, n->line, D_PRINTF_ARG_FMT,
			"%s( ) argument #1 is incompatible with prototype:\n\tprototype: string "
			"constant\n"
			"\t argument: %s",
			n->id->name, dt_type_name(c, fmt->type));
	for (l = fmt->next; l; l = l->next, i++)
		if (dt_is_dyn(l->type) || dt_is_void(l->type))
			dt_fail(c, n->line, D_PROTO_ARG, "%s( ) argument #%d has no value: %s",
				n->id->name, i, dt_type_name(c, l->type));
}

void dt_check_action(struct dt_cc *c, struct dt_node *n)
{
	struct dt_node *l;

	switch ((enum dt_action)n->id->code) {
	case DT_A_PRINTA:
		check_printa(c, n);
		break;
	case DT_A_CLEAR:
		if (count(n->list) != 1)
			dt_fail(c, n->line, D_CLEAR_PROTO,
				"%s( ) prototype mismatch: %d args passed, 1 expected", n->id->name,
				count(n->list));
		need_agg(c, n, n->list, 1, D_CLEAR_AGGARG, D_CLEAR_AGGBAD);
		break;
	case DT_A_TRUNC:
		check_trunc(c, n);
		break;
	case DT_A_NORMALIZE:
	case DT_A_DENORMALIZE:
		check_normalize(c, n);
		break;
	case DT_A_TRACEMEM:
		check_tracemem(c, n);
		break;
	case DT_A_TRACE:
	case DT_A_PRINT:
		check_trace(c, n);
		break;
	case DT_A_PRINTF:
	case DT_A_SYSTEM:
	case DT_A_FREOPEN:
		check_format(c, n);
		break;
	case DT_A_SETOPT:
		for (l = n->list; l; l = l->next)
			if (l->kind != DT_N_STRING)
				dt_fail(c, n->line, D_PROTO_ARG,
					"%s( ) arguments must be string constants", n->id->name);
		break;
	case DT_A_EXIT:
	case DT_A_RAISE:
	case DT_A_STOP:
	case DT_A_CHILL:
	case DT_A_FTRUNCATE:
		break;
	}
}
