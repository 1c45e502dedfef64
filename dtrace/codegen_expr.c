/* Code for expressions. */
#include "dtrace/dt_impl.h"

#include <string.h>

/* The address of an object in machine memory, or in the guest's where the node says so. */
static int gen_addr(struct dt_cc *c, struct dt_node *n)
{
	int r;

	if (n->kind == DT_N_UNARY && n->op == DT_OP_DEREF)
		return dt_gen(c, n->a);
	if (n->kind == DT_N_MEMBER) {
		r = n->op == DT_OP_ARROW ? dt_gen(c, n->a) : gen_addr(c, n->a);
		if (n->val)
			dt_emit(c, DVM_ADDI, r, r, 0, (int32_t)n->val);
		return r;
	}
	return dt_gen(c, n); /* by reference: its value is its address */
}

/* As gen_addr() for something that will, or may, be changed. */
static int gen_place(struct dt_cc *c, struct dt_node *n)
{
	bool was = c->create;
	int r;

	c->create = true;
	r = gen_addr(c, n);
	c->create = was;
	return r;
}

/* r holds a guest address: it becomes that of a copy of size bytes. */
static void emit_copyin(struct dt_cc *c, int r, uint64_t size)
{
	int s = dt_reg(c);

	dt_emit_const(c, s, (int64_t)size);
	dt_emit(c, DVM_CALL, r, r, 2, DVM_F_COPYIN);
	c->top = (uint32_t)s;
}

static void emit_load(struct dt_cc *c, int r, struct dt_type *t)
{
	bool sign = dt_is_signed(t);

	switch (dt_type_size(t)) {
	case 1:
		dt_emit(c, sign ? DVM_LDS8 : DVM_LD8, r, r, 0, 0);
		break;
	case 2:
		dt_emit(c, sign ? DVM_LDS16 : DVM_LD16, r, r, 0, 0);
		break;
	case 4:
		dt_emit(c, sign ? DVM_LDS32 : DVM_LD32, r, r, 0, 0);
		break;
	default:
		dt_emit(c, DVM_LD64, r, r, 0, 0);
		break;
	}
}

static void emit_store(struct dt_cc *c, int addr, int r, struct dt_type *t)
{
	uint64_t size = dt_type_size(t);

	dt_emit(c,
		size == 1   ? DVM_ST8
		: size == 2 ? DVM_ST16
		: size == 4 ? DVM_ST32
			    : DVM_ST64,
		0, addr, r, 0);
}

/* r holds the unit around a bit-field: only its bits stay, extended. */
static void emit_bits(struct dt_cc *c, int r, const struct dt_member *m)
{
	int s = dt_reg(c);

	dt_emit(c, DVM_LDI, s, 0, 0, 64 - m->bitoff - m->bits);
	dt_emit(c, DVM_SLL, r, r, s, 0);
	dt_emit(c, DVM_LDI, s, 0, 0, 64 - m->bits);
	dt_emit(c, dt_is_signed(m->type) ? DVM_SRA : DVM_SRL, r, r, s, 0);
	c->top = (uint32_t)s;
}

/* The value of the object n, whose address is in r; objects held by reference are their address. */
static void emit_fetch(struct dt_cc *c, int r, struct dt_node *n)
{
	struct dt_type *t = dt_resolve(n->type);
	bool user = n->flags & DT_NF_USER;

	if (n->kind == DT_N_UNARY)
		user = n->a->flags & DT_NF_USER;
	else if (n->kind == DT_N_MEMBER && n->op == DT_OP_ARROW)
		user = n->a->flags & DT_NF_USER;
	if (t->kind == DT_T_STRING)
		return;
	if (dt_is_byref(t))
		return; /* a guest object stays where it is until a part of it is wanted */
	if (user)
		emit_copyin(c, r, dt_type_size(t));
	emit_load(c, r, t);
	if (n->kind == DT_N_MEMBER && n->member->bits)
		emit_bits(c, r, n->member);
}

static bool user_object(struct dt_node *n)
{
	return (n->flags & DT_NF_USER) && dt_is_byref(n->type);
}

/* A string's machine address in a new register, from anything that can be one. */
static int gen_string(struct dt_cc *c, struct dt_node *n)
{
	int r;

	if (dt_is_zero(n)) {
		r = dt_reg(c);
		dt_emit(c, DVM_LDSTR, r, 0, 0, 0);
		return r;
	}
	r = dt_gen(c, n);
	if (dt_is_string(n->type))
		return r;
	if (n->flags & DT_NF_USER)
		dt_emit(c, DVM_CALL, r, r, 1, DVM_F_COPYINSTR);
	else
		dt_emit(c, DVM_CALL, r, r, 1, DVM_F_STRINGOF);
	return r;
}

int dt_gen_as(struct dt_cc *c, struct dt_node *n, struct dt_type *t)
{
	int r;

	if (dt_is_string(t))
		return gen_string(c, n);
	r = dt_gen(c, n);
	if (dt_is_scalar(n->type))
		dt_emit_conv(c, r, n->type, t);
	else if (user_object(n) && dt_is_byref(t))
		emit_copyin(c, r, dt_type_size(t));
	return r;
}

static void emit_scale(struct dt_cc *c, int r, uint64_t size)
{
	int s;

	if (size == 1)
		return;
	s = dt_reg(c);
	dt_emit_const(c, s, (int64_t)size);
	dt_emit(c, DVM_MUL, r, r, s, 0);
	c->top = (uint32_t)s;
}

static uint64_t elem_size(struct dt_type *t)
{
	return dt_is_string(t) ? 1 : dt_type_size(dt_pointee(t));
}

/* rd = rd op rb, in type t. */
static void emit_arith(struct dt_cc *c, enum dt_op op, int rd, int rb, struct dt_type *t)
{
	bool sign = dt_is_signed(t);

	switch ((int)op) {
	case DT_OP_ADD: dt_emit(c, DVM_ADD, rd, rd, rb, 0); break;
	case DT_OP_SUB: dt_emit(c, DVM_SUB, rd, rd, rb, 0); break;
	case DT_OP_MUL: dt_emit(c, DVM_MUL, rd, rd, rb, 0); break;
	case DT_OP_DIV: dt_emit(c, sign ? DVM_SDIV : DVM_UDIV, rd, rd, rb, 0); break;
	case DT_OP_MOD: dt_emit(c, sign ? DVM_SREM : DVM_UREM, rd, rd, rb, 0); break;
	case DT_OP_AND: dt_emit(c, DVM_AND, rd, rd, rb, 0); return;
	case DT_OP_OR:  dt_emit(c, DVM_OR, rd, rd, rb, 0); return;
	case DT_OP_XOR: dt_emit(c, DVM_XOR, rd, rd, rb, 0); return;
	case DT_OP_SHL: dt_emit(c, DVM_SLL, rd, rd, rb, 0); break;
	default:        dt_emit(c, sign ? DVM_SRA : DVM_SRL, rd, rd, rb, 0); return;
	}
	if (dt_type_size(t) < 8)
		dt_emit(c, sign ? DVM_SX : DVM_ZX, rd, rd, 0, (int32_t)dt_type_size(t) * 8);
}

static void emit_compare(struct dt_cc *c, enum dt_op op, int rd, int ra, int rb, bool sign)
{
	int lt = sign ? DVM_SLT : DVM_ULT, le = sign ? DVM_SLE : DVM_ULE;

	switch ((int)op) {
	case DT_OP_EQ: dt_emit(c, DVM_SEQ, rd, ra, rb, 0); break;
	case DT_OP_NE: dt_emit(c, DVM_SNE, rd, ra, rb, 0); break;
	case DT_OP_LT: dt_emit(c, lt, rd, ra, rb, 0); break;
	case DT_OP_LE: dt_emit(c, le, rd, ra, rb, 0); break;
	case DT_OP_GT: dt_emit(c, lt, rd, rb, ra, 0); break;
	default:       dt_emit(c, le, rd, rb, ra, 0); break;
	}
}

static int gen_compare(struct dt_cc *c, struct dt_node *n)
{
	int a, b;

	a = dt_gen_as(c, n->a, n->ctype);
	b = dt_gen_as(c, n->b, n->ctype);
	if (dt_is_string(n->ctype)) {
		dt_emit(c, DVM_SCMP, a, a, b, 0);
		b = 0; /* compared with zero: register 0 is always zero */
		emit_compare(c, (enum dt_op)n->op, a, a, b, true);
	} else {
		emit_compare(c, (enum dt_op)n->op, a, a, b, dt_is_signed(n->ctype));
	}
	c->top = (uint32_t)a + 1;
	return a;
}

static int gen_logical(struct dt_cc *c, struct dt_node *n)
{
	bool and = n->op == DT_OP_LAND;
	uint32_t skip1, skip2, end;
	int r, s;

	if (n->op == DT_OP_LXOR) {
		r = dt_gen(c, n->a);
		dt_emit(c, DVM_SNE, r, r, 0, 0);
		s = dt_gen(c, n->b);
		dt_emit(c, DVM_SNE, s, s, 0, 0);
		dt_emit(c, DVM_XOR, r, r, s, 0);
		c->top = (uint32_t)r + 1;
		return r;
	}
	r = dt_gen(c, n->a);
	c->top = (uint32_t)r;
	skip1 = dt_emit(c, and ? DVM_JZ : DVM_JNZ, 0, r, 0, 0);
	s = dt_gen(c, n->b);
	skip2 = dt_emit(c, and ? DVM_JZ : DVM_JNZ, 0, s, 0, 0);
	dt_emit(c, DVM_LDI, r, 0, 0, and);
	end = dt_emit(c, DVM_JMP, 0, 0, 0, 0);
	dt_patch(c, skip1);
	dt_patch(c, skip2);
	dt_emit(c, DVM_LDI, r, 0, 0, !and);
	dt_patch(c, end);
	return r;
}

static int gen_binary(struct dt_cc *c, struct dt_node *n)
{
	bool pa, pb;
	int a, b;

	if (n->op >= DT_OP_LAND && n->op <= DT_OP_LXOR)
		return gen_logical(c, n);
	if (n->op >= DT_OP_EQ && n->op <= DT_OP_GE)
		return gen_compare(c, n);
	if (n->ctype) {
		a = dt_gen_as(c, n->a, n->ctype);
		if (n->op == DT_OP_SHL || n->op == DT_OP_SHR)
			b = dt_gen(c, n->b);
		else
			b = dt_gen_as(c, n->b, n->ctype);
		emit_arith(c, (enum dt_op)n->op, a, b, n->ctype);
		c->top = (uint32_t)a + 1;
		return a;
	}
	pa = !dt_is_int(n->a->type);
	pb = !dt_is_int(n->b->type);
	a = dt_gen(c, n->a);
	if (!pa)
		emit_scale(c, a, elem_size(n->b->type));
	b = dt_gen(c, n->b);
	if (!pb)
		emit_scale(c, b, elem_size(n->a->type));
	dt_emit(c, n->op == DT_OP_ADD ? DVM_ADD : DVM_SUB, a, a, b, 0);
	if (pa && pb && elem_size(n->a->type) > 1) {
		dt_emit_const(c, b, (int64_t)elem_size(n->a->type));
		dt_emit(c, DVM_SDIV, a, a, b, 0);
	}
	c->top = (uint32_t)a + 1;
	return a;
}

static int gen_unary(struct dt_cc *c, struct dt_node *n)
{
	int r;

	switch ((int)n->op) {
	case DT_OP_DEREF:
		r = gen_addr(c, n);
		if (dt_is_string(n->a->type)) /* a character of a string */
			emit_load(c, r, n->type);
		else
			emit_fetch(c, r, n);
		return r;
	case DT_OP_ADDR:
		return gen_place(c, n->a);
	case DT_OP_STRINGOF:
		return gen_string(c, n->a);
	case DT_OP_LNOT:
		r = dt_gen(c, n->a);
		dt_emit(c, DVM_SEQ, r, r, 0, 0);
		return r;
	case DT_OP_PLUS:
		return dt_gen_as(c, n->a, n->type);
	default:
		r = dt_gen_as(c, n->a, n->type);
		dt_emit(c, n->op == DT_OP_NEG ? DVM_NEG : DVM_NOT, r, r, 0, 0);
		if (dt_type_size(n->type) < 8)
			dt_emit(c, dt_is_signed(n->type) ? DVM_SX : DVM_ZX, r, r, 0,
				(int32_t)dt_type_size(n->type) * 8);
		return r;
	}
}

/* One arm of a ?:. A guest's object stays where it is if the other arm's is the guest's too. */
static int gen_arm(struct dt_cc *c, struct dt_node *n, struct dt_node *arm)
{
	return n->flags & DT_NF_USER ? dt_gen(c, arm) : dt_gen_as(c, arm, n->type);
}

static int gen_cond(struct dt_cc *c, struct dt_node *n)
{
	uint32_t other, end;
	int r, s;

	r = dt_gen(c, n->a);
	c->top = (uint32_t)r;
	other = dt_emit(c, DVM_JZ, 0, r, 0, 0);
	s = gen_arm(c, n, n->b);
	c->top = (uint32_t)s;
	end = dt_emit(c, DVM_JMP, 0, 0, 0, 0);
	dt_patch(c, other);
	gen_arm(c, n, n->c);
	dt_patch(c, end);
	return r;
}

static int gen_cast(struct dt_cc *c, struct dt_node *n)
{
	int r;

	if (dt_is_void(n->type)) {
		r = dt_reg(c);
		c->top = (uint32_t)r;
		dt_gen_void(c, n->a);
		return dt_reg(c);
	}
	if (dt_is_string(n->type))
		return gen_string(c, n->a);
	r = dt_gen(c, n->a);
	if (dt_is_int(n->type))
		dt_emit_conv(c, r, n->a->type, n->type);
	return r;
}

static int gen_var(struct dt_cc *c, struct dt_node *n)
{
	struct dt_ident *id = n->id;
	bool create = c->create && dt_is_byref(n->type) && !dt_is_string(n->type);
	int r;

	if (id->kind == DT_ID_BUILTIN) {
		r = dt_reg(c);
		if (id->code == DVM_B_ARG)
			dt_emit(c, DVM_LDI, r, 0, 0, (int32_t)id->value);
		dt_emit(c, DVM_BUILTIN, r, id->code == DVM_B_ARG ? r : 0, 0, id->code);
		if (dt_is_int(n->type) && dt_type_size(n->type) < 8)
			dt_emit(c, dt_is_signed(n->type) ? DVM_SX : DVM_ZX, r, r, 0,
				(int32_t)dt_type_size(n->type) * 8);
		return r;
	}
	if (id->kind == DT_ID_ARRAY) {
		uint32_t top = c->top;

		dt_gen_tuple(c, n->list, id);
		c->top = top;
		r = dt_reg(c);
		dt_emit(c, create ? DVM_LDAC : DVM_LDA, r, 0, 0, (int32_t)id->id);
		return r;
	}
	r = dt_reg(c);
	dt_emit(c, create ? DVM_LDVC : DVM_LDV, r, 0, 0, (int32_t)id->id);
	return r;
}

static int gen_arg(struct dt_cc *c, struct dt_node *n)
{
	int r = dt_reg(c);

	dt_emit(c, DVM_LDI, r, 0, 0, (int32_t)n->val);
	dt_emit(c, DVM_BUILTIN, r, r, 0, DVM_B_ARG);
	if (dt_is_int(n->type) && dt_type_size(n->type) < 8)
		dt_emit(c, dt_is_signed(n->type) ? DVM_SX : DVM_ZX, r, r, 0,
			(int32_t)dt_type_size(n->type) * 8);
	return r;
}

/* ---- Assignment ---- */

struct place { /* where a value goes; registers from first on are in use until it is there */
	int first;
	int addr;      /* MEMORY: register with the address */
	int key;       /* associative array: first of the registers with its keys */
	struct dt_node *n;
};

static void place_begin(struct dt_cc *c, struct place *p, struct dt_node *n)
{
	memset(p, 0, sizeof(*p));
	p->n = n;
	p->first = (int)c->top;
	if (n->kind != DT_N_VAR)
		p->addr = gen_place(c, n);
	else if (n->id->kind == DT_ID_ARRAY)
		p->key = dt_gen_keys(c, n->list, n->id);
}

static int place_load(struct dt_cc *c, struct place *p)
{
	struct dt_ident *id = p->n->id;
	int r = dt_reg(c);

	if (p->n->kind != DT_N_VAR) {
		dt_emit(c, DVM_MOV, r, p->addr, 0, 0);
		emit_fetch(c, r, p->n);
	} else if (id->kind == DT_ID_ARRAY) {
		dt_emit_tuple(c, p->key, p->n->list, id);
		dt_emit(c, DVM_LDA, r, 0, 0, (int32_t)id->id);
	} else {
		dt_emit(c, DVM_LDV, r, 0, 0, (int32_t)id->id);
	}
	return r;
}

static void store_bits(struct dt_cc *c, struct place *p, int r)
{
	const struct dt_member *m = p->n->member;
	uint64_t mask = (m->bits == 64 ? ~0ull : (1ull << m->bits) - 1) << m->bitoff;
	int unit = dt_reg(c), k = dt_reg(c), v = dt_reg(c);

	dt_emit(c, DVM_MOV, unit, p->addr, 0, 0);
	emit_load(c, unit, m->type);
	dt_emit_const(c, k, (int64_t)~mask);
	dt_emit(c, DVM_AND, unit, unit, k, 0);
	dt_emit(c, DVM_LDI, k, 0, 0, m->bitoff);
	dt_emit(c, DVM_SLL, v, r, k, 0);
	dt_emit_const(c, k, (int64_t)mask);
	dt_emit(c, DVM_AND, v, v, k, 0);
	dt_emit(c, DVM_OR, unit, unit, v, 0);
	emit_store(c, p->addr, unit, m->type);
	c->top = (uint32_t)unit;
}

/* Copies the object or string at machine address r to p->addr. */
static void store_bytes(struct dt_cc *c, struct place *p, int r, struct dt_type *t)
{
	int a = dt_reg(c), b = dt_reg(c), n = dt_reg(c);

	dt_emit(c, DVM_MOV, a, r, 0, 0);
	dt_emit(c, DVM_MOV, b, p->addr, 0, 0);
	dt_emit_const(c, n, (int64_t)dt_type_size(t));
	dt_emit(c, DVM_CALL, a, a, 3, DVM_F_BCOPY);
	c->top = (uint32_t)a;
}

/* The value in r, of the place's type, is stored; freed: it is the constant 0 for something held by reference. */
static void place_store(struct dt_cc *c, struct place *p, int r, bool freed)
{
	struct dt_ident *id = p->n->id;

	if (p->n->kind != DT_N_VAR) {
		if (p->n->kind == DT_N_MEMBER && p->n->member->bits)
			store_bits(c, p, r);
		else if (dt_is_byref(p->n->type))
			store_bytes(c, p, r, p->n->type);
		else
			emit_store(c, p->addr, r, p->n->type);
	} else if (id->kind == DT_ID_ARRAY) {
		dt_emit_tuple(c, p->key, p->n->list, id);
		dt_emit(c, freed ? DVM_FREEA : DVM_STA, 0, r, 0, (int32_t)id->id);
	} else if (freed && id->scope == DVM_THREAD) {
		dt_emit(c, DVM_FREEV, 0, 0, 0, (int32_t)id->id);
	} else {
		dt_emit(c, DVM_STV, 0, r, 0, (int32_t)id->id);
	}
}

/* The value takes the register where the place began. */
static int place_end(struct dt_cc *c, struct place *p, int r)
{
	c->top = (uint32_t)p->first;
	p->first = dt_reg(c);
	if (p->first != r)
		dt_emit(c, DVM_MOV, p->first, r, 0, 0);
	return p->first;
}

static int gen_assign(struct dt_cc *c, struct dt_node *n)
{
	struct place p;
	int r, v;

	place_begin(c, &p, n->a);
	if (n->op == DT_OP_ASSIGN) {
		r = dt_gen_as(c, n->b, n->a->type);
		place_store(c, &p, r, dt_is_zero(n->b) && dt_is_string(n->a->type));
		if (n->a->kind == DT_N_MEMBER && n->a->member->bits) {
			dt_emit(c, DVM_MOV, r, p.addr, 0, 0);
			emit_load(c, r, n->a->type);
			emit_bits(c, r, n->a->member);
		}
		return place_end(c, &p, r);
	}
	r = place_load(c, &p);
	if (n->ctype) {
		dt_emit_conv(c, r, n->a->type, n->ctype);
		v = n->op == DT_OP_SHL || n->op == DT_OP_SHR ? dt_gen(c, n->b)
							     : dt_gen_as(c, n->b, n->ctype);
		emit_arith(c, (enum dt_op)n->op, r, v, n->ctype);
		dt_emit_conv(c, r, n->ctype, n->a->type);
	} else {
		v = dt_gen(c, n->b);
		emit_scale(c, v, elem_size(n->a->type));
		dt_emit(c, n->op == DT_OP_ADD ? DVM_ADD : DVM_SUB, r, r, v, 0);
	}
	c->top = (uint32_t)r + 1;
	place_store(c, &p, r, false);
	return place_end(c, &p, r);
}

static int gen_incdec(struct dt_cc *c, struct dt_node *n)
{
	int64_t step = dt_is_int(n->a->type) ? 1 : (int64_t)elem_size(n->a->type);
	struct place p;
	int r, s;

	place_begin(c, &p, n->a);
	r = place_load(c, &p);
	s = dt_reg(c);
	dt_emit(c, DVM_ADDI, s, r, 0, (int32_t)(n->op == DT_OP_ADD ? step : -step));
	if (dt_is_int(n->type) && dt_type_size(n->type) < 8)
		dt_emit(c, dt_is_signed(n->type) ? DVM_SX : DVM_ZX, s, s, 0,
			(int32_t)dt_type_size(n->type) * 8);
	place_store(c, &p, s, false);
	return place_end(c, &p, n->val ? r : s);
}

int dt_gen(struct dt_cc *c, struct dt_node *n)
{
	int r;

	switch ((enum dt_nkind)n->kind) {
	case DT_N_INT:
		r = dt_reg(c);
		dt_emit_const(c, r, (int64_t)n->val);
		return r;
	case DT_N_STRING:
		r = dt_reg(c);
		dt_emit(c, DVM_LDSTR, r, 0, 0, (int32_t)dt_strtab(c, n->str, strlen(n->str)));
		return r;
	case DT_N_VAR:
		return gen_var(c, n);
	case DT_N_ARG:
		return gen_arg(c, n);
	case DT_N_CALL:
		return dt_gen_call(c, n);
	case DT_N_UNARY:
		return gen_unary(c, n);
	case DT_N_BINARY:
		return gen_binary(c, n);
	case DT_N_ASSIGN:
		return gen_assign(c, n);
	case DT_N_INCDEC:
		return gen_incdec(c, n);
	case DT_N_COND:
		return gen_cond(c, n);
	case DT_N_CAST:
		return gen_cast(c, n);
	case DT_N_MEMBER:
		r = gen_addr(c, n);
		emit_fetch(c, r, n);
		return r;
	case DT_N_COMMA:
		r = (int)c->top;
		dt_gen_void(c, n->a);
		c->top = (uint32_t)r;
		return dt_gen(c, n->b);
	case DT_N_IDENT:
	case DT_N_AGG:
	case DT_N_SIZEOF:
	case DT_N_OFFSETOF:
	case DT_N_INDEX:
		break;
	case DT_N_XLATE:
		dt_fail(c, n->line, D_CG_DYN, "expression cannot evaluate to result of a translator");
	}
	dt_fail(c, n->line, D_UNKNOWN, "expression has no value");
}

void dt_gen_void(struct dt_cc *c, struct dt_node *n)
{
	uint32_t top = c->top;

	if (n->kind == DT_N_AGG)
		dt_gen_agg(c, n);
	else if (n->kind == DT_N_CALL && n->id->kind == DT_ID_ACT)
		dt_gen_action(c, n);
	else
		dt_gen(c, n);
	c->top = top;
}
