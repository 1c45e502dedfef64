/* One call as text: its arguments by their kinds, and its result. */
#include "lx_syscall/decode.h"

#include "lx_syscall/decode_impl.h"
#include "lx_syscall/lx_rows.h"

static int64_t result_of(const struct lx_call *c)
{
	return c->abi == LX_SYS64 ? c->result : (int32_t)c->result;
}

bool dec_failed(const struct lx_dec *d)
{
	int64_t r = result_of(d->call);

	return d->call->returned && r < 0 && r >= -4095;
}

bool dec_shown(const struct lx_dec *d, unsigned dir)
{
	if (dir != LX_D_OUT)
		return true;
	return d->call->returned && !dec_failed(d);
}

/* How many elements an argument's pointer leads to; false: it is no list. */
static bool count_of(struct lx_dec *d, const struct lx_row *r, const struct lx_arg *a, const uint64_t regs[6], uint64_t *count)
{
	unsigned by = DEC_COUNT(a->decode), fixed = DEC_FIXED(a->decode);
	const struct lx_arg *list = r->args[d->call->abi];

	if (fixed) {
		*count = fixed;
		return true;
	}
	if (by == 7) {
		*count = d->call->returned && !dec_failed(d) ? (uint64_t)result_of(d->call) : 0;
		return true;
	}
	if (!(by & 7) || (by & 7) > r->nargs[d->call->abi])
		return false;
	*count = lx_arg_value(&list[(by & 7) - 1], regs);
	if (by & 8 && !dec_read_num(d, *count, 4, count))
		*count = 0;
	if (list[(by & 7) - 1].width < 0 && (int64_t)*count < 0)
		*count = 0;
	return true;
}

static void put_pointer(struct lx_dec *d, const struct lx_row *r, const struct lx_arg *a, const uint64_t regs[6], uint64_t v)
{
	uint64_t count = 0;
	bool counted;

	if (!dec_shown(d, a->dir) || !v) {
		dec_addr(d, v);
		return;
	}
	counted = count_of(d, r, a, regs, &count);
	d->budget = a->dir == LX_D_IN ? UINT64_MAX : !d->call->returned || dec_failed(d) ? 0 : (uint64_t)result_of(d->call);
	dec_target(d, v, DEC_ID(a->decode), count, counted);
}

/* open() without O_CREAT or O_TMPFILE has no mode, some commands of fcntl() no argument. */
static bool is_absent(const struct lx_row *r, const struct lx_arg *list, unsigned n, const uint64_t regs[6])
{
	uint64_t flags;

	if (list[n].kind == LX_K_SPECIAL)
		return dec_special_absent(DEC_ID(list[n].decode), regs);
	if (!n || list[n].kind != LX_K_MODE || list[n - 1].kind != LX_K_FLAGS || DEC_ID(list[n - 1].decode) != LX_SET_open)
		return false;
	flags = lx_arg_value(&list[n - 1], regs);
	return !(flags & 0100) && (flags & 020200000) != 020200000;
}

/* True: the arguments after it are shown too. */
static bool put_arg(struct lx_dec *d, const struct lx_row *r, unsigned n, const uint64_t regs[6], bool rest)
{
	const struct lx_arg *a = &r->args[d->call->abi][n];
	uint64_t v = lx_arg_value(a, regs);

	switch (a->kind) {
	case LX_K_PATH:
		dec_cstring(d, v, DEC_PATHMAX);
		break;
	case LX_K_STR:
		dec_cstring(d, v, DEC_STRMAX);
		break;
	case LX_K_BUF:
	case LX_K_PTR:
		put_pointer(d, r, a, regs, v);
		break;
	case LX_K_SPECIAL:
		return dec_special(d, DEC_ID(a->decode), n, v, regs, rest);
	default:
		dec_value(d, a->kind, DEC_ID(a->decode), a->width, v);
	}
	return false;
}

void dec_args_of(struct lx_dec *d, unsigned row, const uint64_t regs[6], unsigned max)
{
	const struct lx_row *r = &lx_rows[row];
	unsigned n;

	for (n = 0; n < r->nargs[d->call->abi] && n < max; n++) {
		if (is_absent(r, r->args[d->call->abi], n, regs))
			break;
		if (n)
			dec_str(d, ", ");
		if (put_arg(d, r, n, regs, true))
			break;
	}
}

static bool begin(struct lx_dec *d, char *buf, size_t size, const struct lx_call *c, const struct lx_mem *mem)
{
	if (!size)
		return false;
	*d = (struct lx_dec){ .p = buf, .end = buf + size - 1, .call = c, .mem = mem };
	*buf = 0;
	if (c->row >= LX_NROWS || c->abi >= LX_NABI)
		return false;
	d->row = &lx_rows[c->row];
	return true;
}

/* Ends the text; one that was cut says so. */
static size_t finish(struct lx_dec *d, char *buf)
{
	unsigned i;

	*d->p = 0;
	if (d->full) {
		for (i = 1; i <= 3 && d->p - i >= buf; i++)
			d->p[-(int)i] = '.';
	}
	return (size_t)(d->p - buf);
}

static void put_result(struct lx_dec *d)
{
	int64_t v = result_of(d->call);
	const char *name;

	if (dec_failed(d)) {
		name = lx_errno_name((int)-v);
		dec_str(d, -v >= 512 && -v <= 516 ? "?" : "-1");
		dec_char(d, ' ');
		if (name)
			dec_str(d, name);
		else
			dec_int(d, -v);
		return;
	}
	switch (d->call->row) {
	case LX_ROW_mmap:
	case LX_ROW_mmap2:
	case LX_ROW_mremap:
	case LX_ROW_brk:
	case LX_ROW_shmat:
		dec_hex(d, d->call->abi == LX_SYS64 ? (uint64_t)v : (uint32_t)v);
		break;
	case LX_ROW_umask:
		dec_mode(d, (uint64_t)v, false);
		break;
	default:
		dec_int(d, v);
	}
}

size_t lx_decode_call(char *buf, size_t size, const struct lx_call *c, const struct lx_mem *mem)
{
	struct lx_dec d;

	if (!begin(&d, buf, size, c, mem))
		return 0;
	dec_str(&d, d.row->name);
	dec_char(&d, '(');
	dec_args_of(&d, c->row, c->args, 6);
	dec_char(&d, ')');
	if (c->returned) {
		dec_str(&d, " = ");
		put_result(&d);
	}
	return finish(&d, buf);
}

size_t lx_decode_args(char *buf, size_t size, const struct lx_call *c, const struct lx_mem *mem)
{
	struct lx_dec d;

	if (!begin(&d, buf, size, c, mem))
		return 0;
	dec_args_of(&d, c->row, c->args, 6);
	return finish(&d, buf);
}

size_t lx_decode_arg(char *buf, size_t size, const struct lx_call *c, unsigned n, const struct lx_mem *mem)
{
	struct lx_dec d;

	if (!begin(&d, buf, size, c, mem) || n >= d.row->nargs[c->abi])
		return 0;
	put_arg(&d, d.row, n, c->args, false);
	return finish(&d, buf);
}

size_t lx_decode_result(char *buf, size_t size, const struct lx_call *c)
{
	struct lx_dec d;

	if (!begin(&d, buf, size, c, NULL))
		return 0;
	put_result(&d);
	return finish(&d, buf);
}

const char *lx_errno_name(int e)
{
	return e > 0 ? dec_name(LX_SET_errno, (uint64_t)e) : NULL;
}

const char *lx_signal_name(int s)
{
	return s > 0 ? dec_name(LX_SET_signal, (uint64_t)s) : NULL;
}
