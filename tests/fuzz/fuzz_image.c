/* What dvm_verify() accepts must run without harm. The input is either an image as it is, or (first byte odd) the numbers from
 * which one with valid sections and random instructions is built, so that most are accepted. Every probe of an accepted image
 * is fired with an engine that answers nonsense, while bytes of the arena change; then everything is read back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/unit/dvm_asm.h"

struct bytes {
	const uint8_t *p;
	size_t n;
	uint64_t mix;
};

/* The next byte; after the input's end a sequence that depends on all of it. */
static uint8_t byte(struct bytes *b)
{
	if (b->n) {
		b->n--;
		b->mix = b->mix * 6364136223846793005ull + *b->p + 1;
		return *b->p++;
	}
	b->mix = b->mix * 6364136223846793005ull + 1442695040888963407ull;
	return (uint8_t)(b->mix >> 56);
}

static struct bytes nonsense = { NULL, 0, 1 };

static int any_copyin(const struct dvm_event *ev, uint64_t addr, void *dst, size_t len)
{
	if (byte(&nonsense) % 4 == 0)
		return -1;
	memset(dst, byte(&nonsense) % 3 ? byte(&nonsense) : 0, len);
	return 0;
}

static int any_copyout(const struct dvm_event *ev, uint64_t addr, const void *src, size_t len)
{
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum = (uint8_t)(sum + ((const uint8_t *)src)[i]);
	return byte(&nonsense) & 1;
}

/* Answers as it should, lies about the length, fails, or leaves out the NUL. */
static long any_copyinstr(const struct dvm_event *ev, uint64_t addr, char *dst, size_t cap)
{
	size_t n = byte(&nonsense);

	if (n >= cap)
		n = cap - 1;
	memset(dst, 'a' + byte(&nonsense) % 26, n);
	switch (byte(&nonsense) % 5) {
	case 0: return -14;
	case 1: return (long)(cap + 1000);
	case 2: memset(dst, 'z', cap); return (long)cap;
	default: dst[n] = 0; return (long)n;
	}
}

static uint64_t any_builtin(const struct dvm_event *ev, int b)
{
	return nonsense.mix * (uint64_t)(b + 1);
}

static long any_string(const struct dvm_event *ev, int b, char *dst, size_t cap)
{
	return any_copyinstr(ev, 0, dst, cap);
}

static int any_act(const struct dvm_event *ev, int f, uint64_t arg)
{
	return byte(&nonsense) & 1;
}

static const struct dvm_ops ops = { any_copyin, any_copyout, any_copyinstr, any_builtin, any_string, any_act };

static int32_t any_imm(struct bytes *b, const struct dasm *a, unsigned op, uint32_t left)
{
	switch (op) {
	case DVM_LDC: return byte(b) % 8;
	case DVM_LDSTR: return (int32_t)(byte(b) % a->nstr);
	case DVM_SX: case DVM_ZX: return 8 << byte(b) % 3;
	case DVM_JMP: case DVM_JZ: case DVM_JNZ: case DVM_JEQ: case DVM_JNE: return (int32_t)(byte(b) % (left > 6 ? 6 : left));
	case DVM_LDV: case DVM_STV: return byte(b) % 8;
	case DVM_LDVC: return byte(b) & 1 ? 2 : 5;
	case DVM_LDAC: return byte(b) & 1 ? 10 : 13;
	case DVM_FREEV: return 3 + byte(b) % 2;
	case DVM_LDA: case DVM_STA: case DVM_FREEA: return 8 + byte(b) % 6;
	case DVM_TBYTES: case DVM_RBYTES: return byte(b);
	case DVM_AGG: return byte(b) % 9;
	case DVM_BUILTIN: return byte(b) % DVM_NBUILTINS;
	case DVM_CALL: return byte(b) % DVM_NFUNCS;
	case DVM_LDI: return (int8_t)byte(b) * (byte(b) & 1 ? 1 : 12345);
	default: return (int8_t)byte(b);
	}
}

static void any_code(struct bytes *b, struct dasm *a)
{
	static const char nargs[] = { 2, 1, 3, 3, 2, 1, 3, 1, 2, 2, 2, 2, 2, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1,
				      1, 1, 1, 1, 1, 1, 1, 2, 0, 1, 1, 1, 1, 0, 1, 1 };
	uint32_t n = 4 + byte(b) % 60;

	_Static_assert(sizeof(nargs) == DVM_NFUNCS, "one number a function");
	da_begin(a, byte(b) & 1);
	for (uint32_t k = 0; k < n; k++) {
		unsigned op = byte(b) % DVM_NOPS, rb = byte(b) % 12;
		int32_t imm;

		if ((op == DVM_RET || op == DVM_DROP || op == DVM_EXIT) && byte(b) % 16)
			op = DVM_CALL;
		imm = any_imm(b, a, op, n - k);
		if (op == DVM_CALL)
			rb = (unsigned)nargs[imm];
		da_op(a, op, byte(b) % 12, byte(b) % 12, rb, imm);
	}
	da_end(a);
}

static struct dvm_image *any_image(struct bytes *b, size_t *len)
{
	static const struct dvm_agg aggs[9] = {
		{ DVM_AGG_COUNT, 1 }, { DVM_AGG_SUM, 1 }, { DVM_AGG_MIN, 1 }, { DVM_AGG_MAX, 1 }, { DVM_AGG_AVG, 2 }, { DVM_AGG_STDDEV, 4 },
		{ DVM_AGG_QUANTIZE, 127 }, { DVM_AGG_LQUANTIZE, 12, 0, 100, 10 },
		{ DVM_AGG_LLQUANTIZE, 20, .factor = 10, .low = 0, .high = 1, .nsteps = 10 },
	};
	struct dasm *a = da_new();
	struct dvm_image *img;
	unsigned nclause = 2 + byte(b) % 4;

	memcpy(a->agg, aggs, sizeof(aggs));
	a->nagg = 9;
	a->nconst = 8;
	for (unsigned i = 0; i < 8; i++)
		a->constant[i] = i < 6 ? 0xd7ull << 56 | (uint64_t)(byte(b) % 10) << 48 | byte(b) : nonsense.mix << byte(b) % 64;
	da_str(a, "a string");
	da_str(a, "/a/path/../to//some/./where");
	da_str(a, ",one,,two,three,");
	for (int scope = DVM_GLOBAL; scope <= DVM_THREAD; scope++)
		for (int kind = DVM_V_INT; kind <= DVM_V_BYREF; kind++)
			da_var(a, (unsigned)scope, (unsigned)kind, false, 24);
	da_var(a, DVM_LOCAL, DVM_V_INT, false, 8);
	da_var(a, DVM_LOCAL, DVM_V_STRING, false, 64);
	for (int scope = DVM_GLOBAL; scope <= DVM_THREAD; scope++)
		for (int kind = DVM_V_INT; kind <= DVM_V_BYREF; kind++)
			da_var(a, (unsigned)scope, (unsigned)kind, true, 24);
	for (unsigned i = 0; i < nclause; i++)
		any_code(b, a);
	da_probe(a, DVM_P_BEGIN, 1, 0);
	da_probe(a, DVM_P_ERROR, 1, 1);
	da_probe(a, DVM_P_TICK, nclause > 3 ? 2 : 1, nclause - 1, 0);
	da_probe(a, DVM_P_END, 1, 0);
	img = da_image(a, len);
	free(a);
	return img;
}

static void read_back(struct dvm *m)
{
	static uint64_t rec[1 << 15];
	volatile uint64_t sum = 0;
	struct dvm_aggent e;
	uint64_t pos = 0;
	size_t need;

	/* -EPROTO empties the buffer: at most once for each byte that changed. */
	for (int i = 0; i < 100000 && dvm_buf_read(m, rec, sizeof(rec), &need) != 0; i++)
		;
	for (unsigned t = 0; t < 2; t++)
		for (pos = 0; dvm_agg_next(m, t, &pos, &e);) {
			const struct dvm_agg *g = (const struct dvm_agg *)((const uint8_t *)m->img + m->img->aggs.off) + e.agg;
			size_t at = 0;

			while (dvm_item_next(e.key, e.keylen, &at))
				sum++;
			for (uint32_t i = 0; i < g->ndata; i++)
				sum += e.data[i];
		}
}

static void run_image(const struct dvm_image *img, struct bytes *b)
{
	struct dvm_event ev = { .ops = &ops, .pid = 1, .tid = 2, .execname = "fuzz", .zonename = "global", .lxhow = "pass" };
	struct dvm_opts o;
	struct dvm m;
	size_t size;
	uint8_t *arena;
	void *scratch;

	dvm_opts_default(&o);
	o.strsize = byte(b) & 1 ? 64 : 1 + byte(b) % 64;
	o.bufsize = 64u << byte(b) % 8;
	o.aggsize = byte(b) * 64u;
	o.dynvarsize = byte(b) * 64u;
	o.scratchsize = byte(b) * 4u;
	o.bufpolicy = byte(b) % 3;
	o.destructive = byte(b) & 1;
	size = dvm_arena_size(img, &o);
	if (!size || size > 64u << 20 || dvm_scratch_size(img, &o) > 64u << 20)
		return;
	arena = aligned_alloc(64, size);
	scratch = calloc(1, dvm_scratch_size(img, &o));
	assert(arena && scratch);
	memset(arena, 0, size);
	if (!dvm_arena_init(arena, size, img, &o) && !dvm_open(&m, img, &o, arena, size)) {
		for (int round = 0; round < 4; round++) {
			for (uint32_t p = 0; p < img->probes.count && p < 64; p++) {
				ev.tid = byte(b) % 4;
				ev.timestamp = b->mix;
				for (int i = 0; i < DVM_MAXARGS; i++)
					ev.arg[i] = b->mix >> i * 6;
				dvm_fire(&m, scratch, p, &ev);
				if (p == 0 && round == 0)
					dvm_set_activity(&m, DVM_ACTIVE);
			}
			if (round & 1) /* as a hostile guest would */
				for (int i = 0; i < 8; i++)
					arena[8 + (b->mix >> 7 * i & 0xffffff) % (size - 8)] = byte(b);
			read_back(&m);
			if (round == 1)
				dvm_agg_flip(&m);
		}
	}
	free(arena);
	free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size, 7 };
	struct dvm_image *img;
	char why[64], line[200];
	size_t len = size;

	if (byte(&b) & 1) {
		img = any_image(&b, &len);
	} else {
		img = malloc(b.n ? b.n : 1);
		assert(img);
		memcpy(img, b.p, b.n);
		len = b.n;
		b.n = 0;
	}
	nonsense.mix = b.mix;
	if (!dvm_verify(img, len, why, sizeof(why))) {
		for (uint32_t i = 0; i < img->insns.count; i++)
			dvm_disasm(img, i, line, sizeof(line));
		run_image(img, &b);
	} else if (data[0] & 1 && getenv("FUZZ_VERBOSE")) {
		fprintf(stderr, "refused: %s\n", why);
	}
	free(img);
	return 0;
}
