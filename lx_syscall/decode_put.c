/* The decoder's text: characters, numbers, quoted strings, names of flags, and the guest's memory. Whatever is too long
 * for the caller's buffer is dropped and remembered. */
#include "lx_syscall/decode_impl.h"

void dec_char(struct lx_dec *d, char c)
{
	if (d->p < d->end)
		*d->p++ = c;
	else
		d->full = true;
}

void dec_str(struct lx_dec *d, const char *s)
{
	while (*s)
		dec_char(d, *s++);
}

static void put_base(struct lx_dec *d, uint64_t v, unsigned base)
{
	char digits[24];
	unsigned n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while (n)
		dec_char(d, digits[--n]);
}

void dec_uint(struct lx_dec *d, uint64_t v)
{
	put_base(d, v, 10);
}

void dec_int(struct lx_dec *d, int64_t v)
{
	if (v < 0)
		dec_char(d, '-');
	put_base(d, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}

void dec_hex(struct lx_dec *d, uint64_t v)
{
	if (v)
		dec_str(d, "0x");
	put_base(d, v, 16);
}

void dec_octal(struct lx_dec *d, uint64_t v)
{
	if (v)
		dec_char(d, '0');
	put_base(d, v, 8);
}

void dec_addr(struct lx_dec *d, uint64_t v)
{
	if (v)
		dec_hex(d, v);
	else
		dec_str(d, "NULL");
}

static void put_octal_escape(struct lx_dec *d, unsigned char c, char next)
{
	dec_char(d, '\\');
	if (c > 077 || (next >= '0' && next <= '7'))
		dec_char(d, (char)('0' + (c >> 6)));
	if (c > 07 || (next >= '0' && next <= '7'))
		dec_char(d, (char)('0' + (c >> 3 & 7)));
	dec_char(d, (char)('0' + (c & 7)));
}

void dec_quoted(struct lx_dec *d, const char *s, size_t len, bool cut)
{
	static const char plain[] = "\t\n\v\f\r\"\\", escaped[] = "tnvfr\"\\";
	size_t i, k;

	dec_char(d, '"');
	for (i = 0; i < len && !d->full; i++) {
		for (k = 0; plain[k] && plain[k] != s[i]; k++)
			;
		if (plain[k]) {
			dec_char(d, '\\');
			dec_char(d, escaped[k]);
		} else if (s[i] >= ' ' && s[i] < 0x7f) {
			dec_char(d, s[i]);
		} else {
			put_octal_escape(d, (unsigned char)s[i], i + 1 < len ? s[i + 1] : 0);
		}
	}
	dec_char(d, '"');
	if (cut)
		dec_str(d, "...");
}

const char *dec_name(unsigned set, uint64_t v)
{
	unsigned i;

	for (i = 0; i < lx_sets[set].n; i++) {
		if (lx_sets[set].names[i].value == v)
			return lx_sets[set].names[i].name;
	}
	return NULL;
}

void dec_enum(struct lx_dec *d, unsigned set, int64_t v)
{
	const char *name = dec_name(set, (uint64_t)v);

	if (name)
		dec_str(d, name);
	else if (v >= -4096 && v < 4096)
		dec_int(d, v);
	else
		dec_hex(d, (uint64_t)v);
}

void dec_flags(struct lx_dec *d, unsigned set, uint64_t v)
{
	const struct lx_set *s = &lx_sets[set];
	uint64_t seen = 0; /* bits that a name stands for, also of fields that are 0 */
	bool first = true;
	unsigned i;

	for (i = 0; i < s->n; i++) {
		const struct lx_name *f = &s->names[i];

		if ((v & f->mask) != f->value || f->mask & seen)
			continue;
		if (!first)
			dec_char(d, '|');
		dec_str(d, f->name);
		first = false;
		seen |= f->mask;
	}
	if (v & ~seen || first) {
		if (!first)
			dec_char(d, '|');
		if (set == LX_SET_ipcget) /* permissions */
			dec_mode(d, v & ~seen, false);
		else
			dec_hex(d, v & ~seen);
	}
}

bool dec_read(struct lx_dec *d, uint64_t addr, void *buf, size_t len)
{
	return d->mem && addr && d->mem->read(d->mem->arg, addr, buf, len) == len;
}

bool dec_read_num(struct lx_dec *d, uint64_t addr, int width, uint64_t *v)
{
	unsigned bytes = (unsigned)(width < 0 ? -width : width);

	*v = 0;
	if (bytes > sizeof(*v) || !dec_read(d, addr, v, bytes)) /* little endian, as its guests */
		return false;
	if (width < 0 && bytes < 8)
		*v = (uint64_t)((int64_t)(*v << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	return true;
}

unsigned dec_long(const struct lx_dec *d)
{
	return d->call->abi == LX_SYS64 ? 8 : 4;
}

void dec_cstring(struct lx_dec *d, uint64_t addr, size_t max)
{
	char s[DEC_PATHMAX + 1];
	size_t got, len;

	if (max > DEC_PATHMAX)
		max = DEC_PATHMAX;
	got = d->mem && addr ? d->mem->read(d->mem->arg, addr, s, max + 1) : 0;
	if (!got) {
		dec_addr(d, addr);
		return;
	}
	if (got > max + 1)
		got = max + 1;
	for (len = 0; len < got && s[len]; len++)
		;
	if (len < got)
		dec_quoted(d, s, len, false);
	else
		dec_quoted(d, s, len < max ? len : max, true);
}

void dec_buffer(struct lx_dec *d, uint64_t addr, uint64_t len)
{
	char s[DEC_STRMAX];
	size_t want = len < sizeof(s) ? (size_t)len : sizeof(s);

	if (!addr)
		dec_str(d, "NULL");
	else if (!want)
		dec_str(d, "\"\"");
	else if (dec_read(d, addr, s, want))
		dec_quoted(d, s, want, len > want);
	else
		dec_hex(d, addr);
}

bool lx_constant(const char *name, int64_t *value)
{
	unsigned set, i, n;

	for (set = 0; set < LX_NSET; set++) {
		for (i = 0; i < lx_sets[set].n; i++) {
			const char *have = lx_sets[set].names[i].name;

			for (n = 0; have[n] && have[n] == name[n]; n++)
				;
			if (!have[n] && !name[n]) {
				*value = (int64_t)lx_sets[set].names[i].value;
				return true;
			}
		}
	}
	return false;
}
