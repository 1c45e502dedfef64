/* Constant folding: what the machine would compute, by the same rules. */
#include "dtrace/dt_impl.h"

static bool fold_binary(struct dt_node *n, int64_t *out)
{
	struct dt_type *t = n->ctype;
	bool sign = t && dt_is_signed(t);
	int64_t a = (int64_t)n->a->val, b = (int64_t)n->b->val;
	uint64_t ua, ub;

	if (t) {
		a = dt_type_convert(t, a);
		if (n->op != DT_OP_SHL && n->op != DT_OP_SHR)
			b = dt_type_convert(t, b);
	}
	ua = (uint64_t)a;
	ub = (uint64_t)b;
	switch ((int)n->op) {
	case DT_OP_ADD: *out = (int64_t)(ua + ub); break;
	case DT_OP_SUB: *out = (int64_t)(ua - ub); break;
	case DT_OP_MUL: *out = (int64_t)(ua * ub); break;
	case DT_OP_DIV: *out = !sign ? (int64_t)(ua / ub) : b == -1 ? (int64_t)-ua : a / b; break;
	case DT_OP_MOD: *out = !sign ? (int64_t)(ua % ub) : b == -1 ? 0 : a % b; break;
	case DT_OP_AND: *out = a & b; break;
	case DT_OP_OR:  *out = a | b; break;
	case DT_OP_XOR: *out = a ^ b; break;
	case DT_OP_SHL: *out = (int64_t)(ua << (ub & 63)); break;
	case DT_OP_SHR: *out = sign ? a >> (ub & 63) : (int64_t)(ua >> (ub & 63)); break;
	case DT_OP_EQ:  *out = a == b; break;
	case DT_OP_NE:  *out = a != b; break;
	case DT_OP_LT:  *out = sign ? a < b : ua < ub; break;
	case DT_OP_LE:  *out = sign ? a <= b : ua <= ub; break;
	case DT_OP_GT:  *out = sign ? a > b : ua > ub; break;
	case DT_OP_GE:  *out = sign ? a >= b : ua >= ub; break;
	case DT_OP_LAND: *out = a && b; break;
	case DT_OP_LOR:  *out = a || b; break;
	case DT_OP_LXOR: *out = !a != !b; break;
	default:
		return false;
	}
	return true;
}

static bool fold_unary(struct dt_node *n, int64_t *out)
{
	int64_t a = (int64_t)n->a->val;

	switch ((int)n->op) {
	case DT_OP_NEG:  *out = (int64_t)-(uint64_t)a; break;
	case DT_OP_PLUS: *out = a; break;
	case DT_OP_BNOT: *out = ~a; break;
	case DT_OP_LNOT: *out = !a; break;
	default:
		return false;
	}
	return true;
}

/* The node that stands for n: a constant if n's operands are. */
struct dt_node *dt_fold(struct dt_cc *c, struct dt_node *n)
{
	int64_t v = 0;

	if (!dt_is_int(n->type))
		return n;
	switch ((int)n->kind) {
	case DT_N_BINARY:
		if (n->a->kind != DT_N_INT || n->b->kind != DT_N_INT || !fold_binary(n, &v))
			return n;
		break;
	case DT_N_UNARY:
		if (n->a->kind != DT_N_INT || !fold_unary(n, &v))
			return n;
		break;
	case DT_N_CAST:
		if (n->a->kind != DT_N_INT)
			return n;
		v = (int64_t)n->a->val;
		break;
	case DT_N_COND:
		if (n->a->kind != DT_N_INT || n->b->kind != DT_N_INT || n->c->kind != DT_N_INT)
			return n;
		v = (int64_t)(n->a->val ? n->b->val : n->c->val);
		break;
	default:
		return n;
	}
	return dt_node_int(c, dt_type_convert(n->type, v), n->type, n->line);
}
