/* Names of operations, functions and built-in variables, and instructions as text. */
#include "dvm/dvm_impl.h"

const struct op_info dvm_op_info[DVM_NOPS] = {
#define INFO(name, operands) { #name, operands },
	DVM_OPS(INFO)
#undef INFO
};

const struct func_info dvm_func_info[DVM_NFUNCS] = {
#define INFO(name, r, args) { #name, args, #r[0] },
	DVM_FUNCS(INFO)
#undef INFO
};

const char *const dvm_builtin_name[DVM_NBUILTINS] = {
#define INFO(name, t) #name,
	DVM_BUILTINS(INFO)
#undef INFO
};

const char dvm_builtin_type[DVM_NBUILTINS] = {
#define INFO(name, t) #t[0],
	DVM_BUILTINS(INFO)
#undef INFO
};

static void put_lower(char *buf, size_t cap, size_t *pos, const char *s)
{
	char t[2] = { 0 };

	for (; *s; s++) {
		t[0] = *s >= 'A' && *s <= 'Z' ? (char)(*s | 0x20) : *s;
		base_puts(buf, cap, pos, t);
	}
}

static void put_reg(char *buf, size_t cap, size_t *pos, unsigned r)
{
	base_puts(buf, cap, pos, "%r");
	base_putu(buf, cap, pos, r, 10);
}

static const char *str_at(const struct dvm_image *img, uint32_t off)
{
	return off < img->strtab.count ? (const char *)img_at(img, img->strtab.off) + off : "?";
}

/* What the immediate means, beside its number. */
static void put_note(const struct dvm_image *img, const struct dvm_insn *i, uint32_t at, char *buf, size_t cap, size_t *pos)
{
	const struct dvm_var *vars = img_at(img, img->vars.off);
	const struct dvm_agg *aggs = img_at(img, img->aggs.off);
	uint32_t n = (uint32_t)i->imm;

	base_puts(buf, cap, pos, "\t! ");
	switch (i->op) {
	case DVM_LDC:
		base_puts(buf, cap, pos, "0x");
		if (n < img->consts.count)
			base_putu(buf, cap, pos, ((const uint64_t *)img_at(img, img->consts.off))[n], 16);
		break;
	case DVM_LDSTR:
		base_puts(buf, cap, pos, "\"");
		base_puts(buf, cap, pos, str_at(img, n));
		base_puts(buf, cap, pos, "\"");
		break;
	case DVM_LDV: case DVM_STV: case DVM_LDA: case DVM_STA: case DVM_FREEV: case DVM_FREEA:
	case DVM_LDVC: case DVM_LDAC:
		if (n < img->vars.count)
			base_puts(buf, cap, pos, str_at(img, vars[n].name));
		break;
	case DVM_AGG:
		base_puts(buf, cap, pos, "@");
		if (n < img->aggs.count)
			base_puts(buf, cap, pos, str_at(img, aggs[n].name));
		break;
	case DVM_BUILTIN:
		put_lower(buf, cap, pos, n < DVM_NBUILTINS ? dvm_builtin_name[n] : "?");
		break;
	case DVM_CALL:
		put_lower(buf, cap, pos, n < DVM_NFUNCS ? dvm_func_info[n].name : "?");
		break;
	case DVM_JMP: case DVM_JZ: case DVM_JNZ: case DVM_JEQ: case DVM_JNE:
		base_putu(buf, cap, pos, (uint64_t)at + 1 + n, 10);
		break;
	default:
		*pos -= 3;
		if (cap)
			buf[*pos < cap ? *pos : cap - 1] = 0;
	}
}

int dvm_disasm(const struct dvm_image *img, uint32_t insn, char *buf, size_t cap)
{
	const struct dvm_insn *i = (const struct dvm_insn *)img_at(img, img->insns.off) + insn;
	size_t pos = 0, start;

	if (!cap || insn >= img->insns.count || i->op >= DVM_NOPS)
		return 0;
	buf[0] = 0;
	put_lower(buf, cap, &pos, dvm_op_info[i->op].name);
	start = pos;
	for (const char *o = dvm_op_info[i->op].operands; *o; o++) {
		base_puts(buf, cap, &pos, pos == start ? "\t" : ", ");
		if (*o == 'i')
			base_puti(buf, cap, &pos, i->imm);
		else if (i->op == DVM_CALL && *o == 'b')
			base_putu(buf, cap, &pos, i->rb, 10);
		else
			put_reg(buf, cap, &pos, *o == 'd' ? i->rd : *o == 'a' ? i->ra : i->rb);
	}
	if (pos + 4 < cap)
		put_note(img, i, insn, buf, cap, &pos);
	return (int)pos;
}
