/* The interpreter: runs the clauses of a probe that fires. Operand numbers, jump targets and identifiers have been checked by
 * dvm_verify(); what depends on values (addresses, divisors, sizes, tuple length) is checked here. */
#include "dvm/dvm_impl.h"

typedef uint16_t mem16 __attribute__((may_alias, aligned(1)));
typedef uint32_t mem32 __attribute__((may_alias, aligned(1)));
typedef uint64_t mem64 __attribute__((may_alias, aligned(1)));

/* Alignment is that of the guests' ABIs: on i386 a 64-bit member of a structure lies at a multiple of 4. */
static void *access_at(struct mach *s, uint64_t addr, unsigned n, bool write)
{
	void *p = mem_at(s, addr, n, write);

	if (p && (addr & ((n > 4 ? 4 : n) - 1))) {
		mach_fault(s, DVM_FLT_BADALIGN, addr);
		return NULL;
	}
	return p;
}

static int64_t string_cmp(struct mach *s, uint64_t a, uint64_t b)
{
	uint32_t la = 0, lb = 0, n;
	const char *p = mem_str0(s, a, &la), *q = mem_str0(s, b, &lb);
	int c;

	if (!p || !q)
		return 0;
	n = la < lb ? la : lb;
	c = base_memcmp(p, q, n);
	return c ? c : (la > lb) - (la < lb);
}

static uint64_t divide(struct mach *s, unsigned op, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	if (!b) {
		mach_fault(s, DVM_FLT_DIVZERO, 0);
		return 0;
	}
	switch (op) {
	case DVM_UDIV: return a / b;
	case DVM_UREM: return a % b;
	case DVM_SDIV: return y == -1 ? -a : (uint64_t)(x / y); /* INT64_MIN / -1 traps on x86 */
	default: return y == -1 ? 0 : (uint64_t)(x % y);
	}
}

static uint64_t extend(uint64_t v, int32_t bits, bool sign)
{
	unsigned k = 64 - (unsigned)bits;

	return sign ? (uint64_t)((int64_t)(v << k) >> k) : v << k >> k;
}

/* Writes an item's header and zeroes the padding; the payload's place. */
static void *item_put(uint8_t *at, uint32_t kind, uint32_t len)
{
	struct dvm_item *i = (struct dvm_item *)at;

	i->kind = kind;
	i->len = len;
	if (len & 7)
		*(uint64_t *)(at + sizeof(*i) + (len & ~7u)) = 0;
	return i + 1;
}

static bool tuple_add(struct mach *s, uint32_t kind, const void *p, uint32_t len)
{
	uint32_t need = (uint32_t)sizeof(struct dvm_item) + ROUND8(len);

	if (s->tup_n >= DVM_MAXKEYS || need > s->m->l.tuple - s->tup_len)
		return mach_fault(s, DVM_FLT_TUPOFLOW, 0);
	base_memcpy(item_put(s->tup + s->tup_len, kind, len), p, len);
	s->tup_len += need;
	s->tup_n++;
	s->tup_hashed = false;
	return true;
}

static void record_add(struct mach *s, uint32_t kind, const void *p, uint32_t len)
{
	uint32_t need = (uint32_t)sizeof(struct dvm_item) + ROUND8(len);

	s->nitems++;
	if (s->rec_over || need > s->m->l.record - s->rec_len) {
		s->rec_over = true;
		return;
	}
	base_memcpy(item_put(s->rec + s->rec_len, kind, len), p, len);
	s->rec_len += need;
}

static bool tuple_str(struct mach *s, uint64_t addr)
{
	uint32_t n;
	const char *p = mem_str(s, addr, &n);

	return p && tuple_add(s, DVM_I_STR, p, n);
}

static bool record_str(struct mach *s, uint64_t addr)
{
	uint32_t n;
	const char *p = mem_str(s, addr, &n);

	if (p)
		record_add(s, DVM_I_STR, p, n);
	return p;
}

static bool tuple_bytes(struct mach *s, uint64_t addr, uint32_t n)
{
	const void *p = mem_at(s, addr, n, false);

	return p && tuple_add(s, DVM_I_BYTES, p, n);
}

static bool record_bytes(struct mach *s, uint64_t addr, uint32_t n)
{
	const void *p = mem_at(s, addr, n, false);

	if (p)
		record_add(s, DVM_I_BYTES, p, n);
	return p;
}

static void record_begin(const struct mach *s, struct dvm_rec *r, uint16_t kind, uint32_t len)
{
	*r = (struct dvm_rec){
		.len = len,
		.kind = kind,
		.cpu = s->ev->cpu,
		.clause = s->clause,
		.probe = s->probe,
		.pid = (uint32_t)s->ev->pid,
		.tid = (uint32_t)s->ev->tid,
		.time = s->ev->timestamp,
	};
}

static void record_end(struct mach *s)
{
	const struct dvm_clause *c = (const struct dvm_clause *)img_at(s->img, s->img->clauses.off) + s->clause;

	if (!s->nitems && !(c->flags & DVM_CL_RECORD))
		return;
	if (s->rec_over) {
		dvm_drop(s->hdr, DROP_PRINCIPAL);
		return;
	}
	record_begin(s, (struct dvm_rec *)s->rec, DVM_REC_DATA, s->rec_len);
	buf_put(s, (const struct dvm_rec *)s->rec);
}

/* exit(): whoever is first moves the session on; later ones change nothing. */
static void session_exit(struct mach *s)
{
	uint32_t old = __atomic_load_n(&s->hdr->activity, __ATOMIC_RELAXED);

	for (int tries = 0; tries < 64 && old < DVM_DRAINING; tries++)
		if (__atomic_compare_exchange_n(&s->hdr->activity, &old, DVM_DRAINING, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			break;
}

#define R(n) r[i->n]
#define SET(v) do { r[i->rd] = (v); r[0] = 0; } while (0)
#define OP(name) case DVM_##name:
#define NEXT break
#define CHECK(ok) do { if (!(ok)) return (uint32_t)(i - code); } while (0)
#define LOAD(name, n, type) \
	OP(name) { \
		const void *p = access_at(s, R(ra) + (uint64_t)(int64_t)i->imm, n, false); \
		CHECK(p); \
		SET(type *(const mem##n##_t *)p); \
		NEXT; \
	}
#define STORE(name, n) \
	OP(name) { \
		void *p = access_at(s, R(ra) + (uint64_t)(int64_t)i->imm, n, true); \
		CHECK(p); \
		*(mem##n##_t *)p = (mem##n##_t)R(rb); \
		NEXT; \
	}
typedef uint8_t mem1_t;
typedef mem16 mem2_t;
typedef mem32 mem4_t;
typedef mem64 mem8_t;

/* Runs one clause. Afterwards s->faulted says how it ended; returns the index of the instruction that ended it. */
static uint32_t run(struct mach *s, const struct dvm_insn *code)
{
	uint64_t *r = s->r;
	uint64_t v;

	for (const struct dvm_insn *i = code;; i++) {
		switch (i->op) {
		OP(NOP) NEXT;
		OP(RET) record_end(s); return (uint32_t)(i - code);
		OP(DROP) return (uint32_t)(i - code);
		OP(LDI) SET((uint64_t)(int64_t)i->imm); NEXT;
		OP(LDC) SET(s->consts[i->imm]); NEXT;
		OP(LDSTR) SET(ADDR(RG_STRTAB, i->imm)); NEXT;
		OP(MOV) SET(R(ra)); NEXT;
		OP(ADD) SET(R(ra) + R(rb)); NEXT;
		OP(SUB) SET(R(ra) - R(rb)); NEXT;
		OP(MUL) SET(R(ra) * R(rb)); NEXT;
		OP(SDIV) OP(UDIV) OP(SREM) OP(UREM)
			v = divide(s, i->op, R(ra), R(rb));
			CHECK(!s->faulted);
			SET(v);
			NEXT;
		OP(AND) SET(R(ra) & R(rb)); NEXT;
		OP(OR) SET(R(ra) | R(rb)); NEXT;
		OP(XOR) SET(R(ra) ^ R(rb)); NEXT;
		OP(SLL) SET(R(ra) << (R(rb) & 63)); NEXT;
		OP(SRL) SET(R(ra) >> (R(rb) & 63)); NEXT;
		OP(SRA) SET((uint64_t)((int64_t)R(ra) >> (R(rb) & 63))); NEXT;
		OP(NOT) SET(~R(ra)); NEXT;
		OP(NEG) SET(-R(ra)); NEXT;
		OP(ADDI) SET(R(ra) + (uint64_t)(int64_t)i->imm); NEXT;
		OP(SX) SET(extend(R(ra), i->imm, true)); NEXT;
		OP(ZX) SET(extend(R(ra), i->imm, false)); NEXT;
		OP(SEQ) SET(R(ra) == R(rb)); NEXT;
		OP(SNE) SET(R(ra) != R(rb)); NEXT;
		OP(SLT) SET((int64_t)R(ra) < (int64_t)R(rb)); NEXT;
		OP(SLE) SET((int64_t)R(ra) <= (int64_t)R(rb)); NEXT;
		OP(ULT) SET(R(ra) < R(rb)); NEXT;
		OP(ULE) SET(R(ra) <= R(rb)); NEXT;
		OP(SCMP)
			v = (uint64_t)string_cmp(s, R(ra), R(rb));
			CHECK(!s->faulted);
			SET(v);
			NEXT;
		OP(JMP) i += i->imm; NEXT;
		OP(JZ) if (!R(ra)) i += i->imm; NEXT;
		OP(JNZ) if (R(ra)) i += i->imm; NEXT;
		OP(JEQ) if (R(ra) == R(rb)) i += i->imm; NEXT;
		OP(JNE) if (R(ra) != R(rb)) i += i->imm; NEXT;
		LOAD(LD8, 1, )
		LOAD(LD16, 2, )
		LOAD(LD32, 4, )
		LOAD(LD64, 8, )
		LOAD(LDS8, 1, (uint64_t)(int8_t))
		LOAD(LDS16, 2, (uint64_t)(int16_t))
		LOAD(LDS32, 4, (uint64_t)(int32_t))
		STORE(ST8, 1)
		STORE(ST16, 2)
		STORE(ST32, 4)
		STORE(ST64, 8)
		OP(LDV) CHECK(var_load(s, (uint32_t)i->imm, &v)); SET(v); NEXT;
		OP(STV) CHECK(var_store(s, (uint32_t)i->imm, R(ra))); NEXT;
		OP(LDA) CHECK(var_load_assoc(s, (uint32_t)i->imm, &v)); SET(v); NEXT;
		OP(STA) CHECK(var_store_assoc(s, (uint32_t)i->imm, R(ra))); NEXT;
		OP(FREEV) var_free(s, (uint32_t)i->imm); NEXT;
		OP(FREEA) var_free_assoc(s, (uint32_t)i->imm); NEXT;
		OP(LDVC) OP(LDAC)
			CHECK(var_place(s, (uint32_t)i->imm, i->op == DVM_LDAC, &v));
			SET(v);
			NEXT;
		OP(TRST)
			s->tup_len = s->tup_n = 0;
			s->tup_hashed = false;
			NEXT;
		OP(TINT) CHECK(tuple_add(s, DVM_I_INT, &R(ra), 8)); NEXT;
		OP(TSTR) CHECK(tuple_str(s, R(ra))); NEXT;
		OP(TBYTES) CHECK(tuple_bytes(s, R(ra), (uint32_t)i->imm)); NEXT;
		OP(AGG) agg_take(s, (uint32_t)i->imm, R(ra), R(rb)); NEXT;
		OP(RINT) record_add(s, DVM_I_INT, &R(ra), 8); NEXT;
		OP(RSTR) CHECK(record_str(s, R(ra))); NEXT;
		OP(RBYTES) CHECK(record_bytes(s, R(ra), (uint32_t)i->imm)); NEXT;
		OP(BUILTIN)
			v = builtin_value(s, (uint32_t)i->imm, R(ra));
			CHECK(!s->faulted);
			SET(v);
			NEXT;
		OP(CALL)
			v = func_call(s, (uint32_t)i->imm, &R(ra), i->rb);
			CHECK(!s->faulted);
			SET(v);
			NEXT;
		OP(EXIT)
			record_add(s, DVM_I_INT, &R(ra), 8);
			session_exit(s);
			s->exits = true;
			NEXT;
		default: /* dvm_verify() lets none through */
			mach_fault(s, DVM_FLT_ILLOP, 0);
			return (uint32_t)(i - code);
		}
	}
}

static uint32_t clause_run(struct mach *s, uint32_t clause)
{
	const struct dvm_clause *c = (const struct dvm_clause *)img_at(s->img, s->img->clauses.off) + clause;

	s->clause = clause;
	s->rg[RG_SCRATCH].size = s->rg[RG_TSTR].size = 0;
	s->tup_len = s->tup_n = s->nitems = 0;
	s->tup_hashed = s->rec_over = s->exits = s->faulted = false;
	s->rec_len = sizeof(struct dvm_rec);
	if (s->rec_len > s->m->l.record) {
		s->rec_over = true;
		s->rec_len = s->m->l.record;
	}
	return run(s, s->insns + c->insn);
}

static bool may_run(const struct mach *s)
{
	uint32_t a = __atomic_load_n(&s->hdr->activity, __ATOMIC_RELAXED);

	if (s->kind == DVM_P_END)
		return true;
	return a == (s->kind == DVM_P_BEGIN ? DVM_WARMUP : DVM_ACTIVE);
}

/* Runs ERROR's clauses for a fault; a fault in one of them is only counted. */
static void error_fire(struct mach *s, const struct dvm_rec *fault, uint32_t enabling, uint32_t action)
{
	const struct dvm_probe *p;
	const uint32_t *en = img_at(s->img, s->img->enablings.off);
	const struct dvm_event *was = s->ev;
	struct dvm_event ev = *was;
	uint32_t probe = s->probe, kind = s->kind, tok_len = s->tok_len, tok_pos = s->tok_pos;

	if (s->m->l.error_probe == UINT32_MAX)
		return;
	p = (const struct dvm_probe *)img_at(s->img, s->img->probes.off) + s->m->l.error_probe;
	base_memset(ev.arg, 0, sizeof(ev.arg));
	ev.arg[1] = enabling + 1;
	ev.arg[2] = action;
	ev.arg[3] = fault->offset;
	ev.arg[4] = fault->fault;
	ev.arg[5] = fault->addr;
	s->ev = &ev;
	s->probe = s->m->l.error_probe;
	s->kind = DVM_P_ERROR;
	s->rg[RG_LOCAL].base = s->error_locals;
	base_memset(s->error_locals, 0, s->rg[RG_LOCAL].size);
	s->exits = false;
	for (uint32_t k = 0; k < p->nenabling && !s->exits; k++) {
		s->enabling = p->enabling + k;
		clause_run(s, en[s->enabling]);
		if (s->faulted)
			dvm_drop(s->hdr, DROP_DBLERROR);
	}
	s->rg[RG_LOCAL].base = s->locals;
	s->ev = was;
	s->probe = probe;
	s->kind = kind;
	s->tok_len = tok_len;
	s->tok_pos = tok_pos;
}

static void fault_report(struct mach *s, uint32_t offset)
{
	struct dvm_rec r;

	record_begin(s, &r, DVM_REC_ERROR, sizeof(r));
	r.fault = s->fault;
	r.offset = offset;
	r.addr = s->fault_addr;
	buf_put(s, &r);
	error_fire(s, &r, s->enabling, s->nitems + 1);
}

/* Cuts the caller's memory into the firing's areas, as dvm_layout() has added them up. */
static void mach_init(struct mach *s, struct dvm *m)
{
	uint8_t *at = (uint8_t *)s;
	const struct dvm_image *img = m->img;
	uint32_t locals = ROUND8(img->local_size);

#define AREA(n) (at += (((uint64_t)(n)) + 63) & ~63ull)
	AREA(sizeof(*s));
	s->locals = at, AREA(locals);
	s->error_locals = at, AREA(locals);
	s->tok = (char *)at, AREA(ROUND8((uint64_t)m->opts.strsize));
	s->tup = at, AREA(m->l.tuple);
	s->rec = at, AREA(m->l.record);
	s->rg[RG_TSTR] = (struct mem_region){ at, 0, 0 }, AREA(m->l.strings);
	s->rg[RG_ZERO] = (struct mem_region){ at, m->l.zeros, 0 }, AREA(m->l.zeros);
	s->rg[RG_SCRATCH] = (struct mem_region){ at, 0, 1 };
#undef AREA
	s->rg[RG_STRTAB] = (struct mem_region){ img_at(img, img->strtab.off), img->strtab.count, 0 };
	s->rg[RG_LOCAL] = (struct mem_region){ s->locals, locals, 1 };
	s->rg[RG_GLOBAL] = (struct mem_region){ m->arena + m->l.globals, m->l.globals_size, 1 };
	s->rg[RG_DYN] = (struct mem_region){ m->arena + m->l.chunks, m->l.nchunks * m->l.chunk, 1 };
	s->img = img;
	s->insns = img_at(img, img->insns.off);
	s->consts = img_at(img, img->consts.off);
	s->vars = img_at(img, img->vars.off);
	s->aggs = img_at(img, img->aggs.off);
	s->hdr = dvm_hdr(m);
	s->m = m;
}

static struct mach *mach_begin(struct dvm *m, void *scratch, const struct dvm_event *ev)
{
	struct mach *s = (struct mach *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);

	if (s->m != m)
		mach_init(s, m);
	for (int g = RG_EXECNAME; g < NREGIONS; g++)
		s->rg[g].base = NULL, s->rg[g].size = 0;
	for (uint32_t i = 0; i < m->l.nregs; i++)
		s->r[i] = 0;
	if (s->rg[RG_LOCAL].size)
		base_memset(s->locals, 0, s->rg[RG_LOCAL].size);
	s->tok_len = s->tok_pos = 0;
	s->ev = ev;
	return s;
}

void dvm_fire(struct dvm *m, void *scratch, uint32_t probe, const struct dvm_event *ev)
{
	const struct dvm_image *img = m->img;
	const struct dvm_probe *p = (const struct dvm_probe *)img_at(img, img->probes.off) + probe;
	const uint32_t *en = img_at(img, img->enablings.off);
	struct mach *s;

	if (probe >= img->probes.count || p->kind == DVM_P_ERROR)
		return;
	s = mach_begin(m, scratch, ev);
	s->probe = probe;
	s->kind = p->kind;
	for (uint32_t k = 0; k < p->nenabling && may_run(s); k++) {
		uint32_t end;

		s->enabling = p->enabling + k;
		end = clause_run(s, en[s->enabling]);
		if (s->faulted)
			fault_report(s, end);
	}
}
