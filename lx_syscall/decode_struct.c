/* What pointers point to: structures by their layout in structs.tbl, and a function for each thing that has a length, a
 * list or a form of its own. */
#include "lx_syscall/decode_impl.h"

#include "lx_syscall/lx_rows.h"

void dec_signal(struct lx_dec *d, uint64_t v)
{
	const char *name = dec_name(LX_SET_signal, v);

	if (name) {
		dec_str(d, name);
	} else if (v >= 32 && v <= 64) {
		dec_str(d, "SIGRT_");
		dec_uint(d, v - 32);
	} else {
		dec_int(d, (int64_t)v);
	}
}

void dec_mode(struct lx_dec *d, uint64_t v, bool type)
{
	static const char *const types[16] = {
		[1] = "S_IFIFO", [2] = "S_IFCHR", [4] = "S_IFDIR", [6] = "S_IFBLK", [8] = "S_IFREG", [10] = "S_IFLNK", [12] = "S_IFSOCK",
	};

	if (type && types[v >> 12 & 15] && v < 0x10000) {
		dec_str(d, types[v >> 12]);
		dec_char(d, '|');
		v &= 07777;
	}
	if (v < 010) /* at least three digits */
		dec_str(d, v ? "0" : "00");
	dec_octal(d, v);
}

void dec_dev(struct lx_dec *d, uint64_t v, unsigned width)
{
	uint64_t major = width == 2 ? v >> 8 : (v >> 8 & 0xfff) | (v >> 32 & ~0xfffULL);
	uint64_t minor = width == 2 ? v & 0xff : (v & 0xff) | (v >> 12 & 0xffffff00);

	dec_str(d, "makedev(");
	dec_hex(d, major);
	dec_str(d, ", ");
	dec_hex(d, minor);
	dec_char(d, ')');
}

void dec_handler(struct lx_dec *d, uint64_t v)
{
	if (v == 0)
		dec_str(d, "SIG_DFL");
	else if (v == 1)
		dec_str(d, "SIG_IGN");
	else
		dec_hex(d, v);
}

void dec_fd(struct lx_dec *d, int64_t v, bool dir)
{
	if (dir && v == -100)
		dec_str(d, "AT_FDCWD");
	else
		dec_int(d, v);
}

/* [INT TERM], or ~[KILL STOP] when most are in it, as strace. */
void dec_sigset_bits(struct lx_dec *d, uint64_t bits)
{
	bool first = true, most;
	unsigned s, in = 0;

	for (s = 0; s < 64; s++)
		in += bits >> s & 1;
	most = in > 42;
	if (most)
		bits = ~bits;
	dec_str(d, most ? "~[" : "[");
	for (s = 1; s <= 64; s++) {
		const char *name = dec_name(LX_SET_signal, s);

		if (!(bits >> (s - 1) & 1))
			continue;
		if (!first)
			dec_char(d, ' ');
		first = false;
		if (name) {
			dec_str(d, name + 3);
		} else {
			dec_str(d, "RT_");
			dec_uint(d, s - 32);
		}
	}
	dec_char(d, ']');
}

void dec_sigset(struct lx_dec *d, uint64_t addr, unsigned width)
{
	uint64_t bits;

	if (dec_read_num(d, addr, (int)width, &bits))
		dec_sigset_bits(d, bits);
	else
		dec_addr(d, addr);
}

static void put_rlim(struct lx_dec *d, uint64_t v, unsigned width)
{
	if (v == (width == 8 ? UINT64_MAX : UINT32_MAX)) {
		dec_str(d, "RLIM_INFINITY");
	} else if (v > 1024 && v % 1024 == 0) {
		dec_uint(d, v / 1024);
		dec_str(d, "*1024");
	} else {
		dec_uint(d, v);
	}
}

void dec_value(struct lx_dec *d, unsigned kind, unsigned set, int width, uint64_t v)
{
	switch (kind) {
	case LX_K_FLAGS:
		dec_flags(d, set, v);
		break;
	case LX_K_ENUM:
		dec_enum(d, set, (int64_t)v);
		break;
	case LX_K_MODE:
		dec_mode(d, v, width != 4 || v > 07777);
		break;
	case LX_K_SIG:
		dec_signal(d, v);
		break;
	case LX_K_DEV:
		dec_dev(d, v, (unsigned)width);
		break;
	case LX_K_FD:
	case LX_K_DIRFD:
		dec_fd(d, (int64_t)v, kind == LX_K_DIRFD);
		break;
	case LX_K_ADDR:
	case LX_K_PTR:
		dec_addr(d, v);
		break;
	case LX_K_F_HEX:
		dec_hex(d, v);
		break;
	case LX_K_ULONG:
		if (set == DEC_HEX)
			dec_hex(d, v);
		else
			dec_uint(d, v);
		break;
	case LX_K_UID:
	case LX_K_GID:
		if (v == (width == 2 ? 0xffff : 0xffffffff))
			dec_str(d, "-1");
		else
			dec_uint(d, v);
		break;
	case LX_K_F_RLIM:
		put_rlim(d, v, (unsigned)width);
		break;
	case LX_K_F_HANDLER:
		dec_handler(d, v);
		break;
	case LX_K_F_SIGSET:
		dec_sigset_bits(d, v);
		break;
	default:
		if (width < 0)
			dec_int(d, (int64_t)v);
		else
			dec_uint(d, v);
	}
}

static void put_field(struct lx_dec *d, uint64_t addr, const struct lx_field *f)
{
	unsigned n, count = f->count ? f->count : 1;
	uint64_t v;
	char s[65];
	size_t len;

	if (f->kind == LX_K_F_CHARS) {
		if (count > sizeof(s) || !dec_read(d, addr, s, count)) {
			dec_str(d, "???");
			return;
		}
		for (len = 0; len < count && s[len]; len++)
			;
		dec_quoted(d, s, len, false);
		return;
	}
	if (f->kind == LX_K_F_STRUCT) {
		dec_struct(d, addr, f->decode);
		return;
	}
	if (f->count)
		dec_char(d, '[');
	for (n = 0; n < count; n++) {
		if (n)
			dec_str(d, ", ");
		if (!dec_read_num(d, addr + (uint64_t)n * (unsigned)(f->width < 0 ? -f->width : f->width), f->width, &v))
			dec_str(d, "???");
		else if (f->kind == LX_K_F_SIGSETP)
			dec_sigset(d, v, 8);
		else
			dec_value(d, f->kind, f->decode, f->width, v);
	}
	if (f->count)
		dec_char(d, ']');
}

void dec_struct(struct lx_dec *d, uint64_t addr, unsigned id)
{
	const struct lx_struct *s = &lx_structs[id][d->call->abi];
	bool first = true, more = false;
	unsigned i;
	char probe;

	if (!s->nfields || d->depth >= DEC_DEPTH || !dec_read(d, addr, &probe, 1) ||
	    !dec_read(d, addr + s->size - 1, &probe, 1)) {
		dec_addr(d, addr);
		return;
	}
	d->depth++;
	dec_char(d, '{');
	for (i = 0; i < s->nfields && !d->full; i++) {
		const struct lx_field *f = &s->fields[i];

		if (f->hidden) {
			more |= f->name[0] != '_' && f->name[0] != 'p';
			continue;
		}
		if (!first)
			dec_str(d, ", ");
		first = false;
		dec_str(d, f->name);
		dec_char(d, '=');
		put_field(d, addr + f->off, f);
	}
	dec_str(d, more ? ", ...}" : "}");
	d->depth--;
}

/* Elements of one width and kind: [1, 2, 3]. */
static void put_numbers(struct lx_dec *d, uint64_t addr, unsigned kind, int width, uint64_t count, bool list)
{
	unsigned step = (unsigned)(width < 0 ? -width : width);
	uint64_t n, v;

	if (!list) {
		if (dec_read_num(d, addr, width, &v)) {
			dec_char(d, '[');
			dec_value(d, kind, 0, width, v);
			dec_char(d, ']');
		} else {
			dec_addr(d, addr);
		}
		return;
	}
	if (!addr || (count && !dec_read_num(d, addr, width, &v))) {
		dec_addr(d, addr);
		return;
	}
	dec_char(d, '[');
	for (n = 0; n < count && n < DEC_ELEMS; n++) {
		if (n)
			dec_str(d, ", ");
		if (!dec_read_num(d, addr + n * step, width, &v)) {
			dec_hex(d, addr + n * step);
			break;
		}
		dec_value(d, kind, 0, width, v);
	}
	dec_str(d, n < count ? ", ...]" : "]");
}

static void put_structs(struct lx_dec *d, uint64_t addr, unsigned id, uint64_t count)
{
	unsigned size = lx_structs[id][d->call->abi].size;
	uint64_t n;

	if (!addr) {
		dec_str(d, "NULL");
		return;
	}
	dec_char(d, '[');
	for (n = 0; n < count && n < DEC_ELEMS && !d->full; n++) {
		if (n)
			dec_str(d, ", ");
		dec_struct(d, addr + n * size, id);
	}
	dec_str(d, n < count ? ", ...]" : "]");
}

/* argv: ["ls", "-l"]. */
static void put_strings(struct lx_dec *d, uint64_t addr)
{
	unsigned n, width = dec_long(d);
	uint64_t p;

	if (!dec_read_num(d, addr, (int)width, &p)) {
		dec_addr(d, addr);
		return;
	}
	dec_char(d, '[');
	for (n = 0; n < DEC_ELEMS && !d->full; n++) {
		if (!dec_read_num(d, addr + (uint64_t)n * width, (int)width, &p) || !p)
			break;
		if (n)
			dec_str(d, ", ");
		dec_cstring(d, p, DEC_STRMAX);
	}
	dec_str(d, n == DEC_ELEMS ? ", ...]" : "]");
}

/* envp: its address and how many, since its content is long and seldom wanted. */
static void put_environment(struct lx_dec *d, uint64_t addr)
{
	unsigned n, width = dec_long(d);
	uint64_t p;

	dec_addr(d, addr);
	if (!dec_read_num(d, addr, (int)width, &p))
		return;
	for (n = 0; n < 4096 && p; n++) {
		if (!dec_read_num(d, addr + (uint64_t)(n + 1) * width, (int)width, &p))
			return;
	}
	dec_str(d, " /* ");
	dec_uint(d, n);
	dec_str(d, n == 1 ? " var */" : " vars */");
}

/* Numbers of the bits that are set: [3 5]. */
static void put_bits(struct lx_dec *d, uint64_t addr, uint64_t nbits)
{
	bool first = true;
	uint64_t bit;
	uint8_t byte = 0;

	if (nbits > 1024)
		nbits = 1024;
	if (!dec_read(d, addr, &byte, 1)) {
		dec_addr(d, addr);
		return;
	}
	dec_char(d, '[');
	for (bit = 0; bit < nbits && !d->full; bit++) {
		if (bit % 8 == 0 && !dec_read(d, addr + bit / 8, &byte, 1))
			break;
		if (!(byte >> bit % 8 & 1))
			continue;
		if (!first)
			dec_char(d, ' ');
		first = false;
		dec_uint(d, bit);
	}
	dec_char(d, ']');
}

static void put_status(struct lx_dec *d, uint64_t addr)
{
	uint64_t v;

	if (!dec_read_num(d, addr, 4, &v)) {
		dec_addr(d, addr);
		return;
	}
	dec_char(d, '[');
	if (v == 0xffff) {
		dec_str(d, "{WIFCONTINUED(s)}");
	} else if ((v & 0xff) == 0x7f) {
		dec_str(d, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		dec_signal(d, v >> 8 & 0x7f);
		dec_char(d, '}');
	} else if (v & 0x7f) {
		dec_str(d, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		dec_signal(d, v & 0x7f);
		dec_str(d, v & 0x80 ? " && WCOREDUMP(s)}" : "}");
	} else {
		dec_str(d, "{WIFEXITED(s) && WEXITSTATUS(s) == ");
		dec_uint(d, v >> 8 & 0xff);
		dec_char(d, '}');
	}
	dec_char(d, ']');
}

/* Directory entries: how many there are in what was read. */
static void put_dirents(struct lx_dec *d, uint64_t addr, uint64_t bytes, unsigned reclen_at)
{
	uint64_t off = 0, len, n = 0;

	dec_addr(d, addr);
	if (!addr || bytes > (1u << 24))
		return;
	while (off < bytes && dec_read_num(d, addr + off + reclen_at, 2, &len) && len) {
		off += len;
		n++;
	}
	dec_str(d, " /* ");
	dec_uint(d, n);
	dec_str(d, n == 1 ? " entry */" : " entries */");
}

/* What D and people call numbers, by their target: kind and width on this ABI. False: it is none. */
static bool number_target(const struct lx_dec *d, unsigned id, unsigned *kind, int *width)
{
	int l = (int)dec_long(d);

	*kind = LX_K_UINT;
	switch (id) {
	case LX_S_int:
		*kind = LX_K_INT;
		*width = -4;
		return true;
	case LX_S_uint:
	case LX_S_uint32_t:
		*width = 4;
		return true;
	case LX_S_long:
	case LX_S_off_t:
		*kind = LX_K_LONG;
		*width = -l;
		return true;
	case LX_S_ulong:
	case LX_S_size_t:
		*width = l;
		return true;
	case LX_S_uint64_t:
		*width = 8;
		return true;
	case LX_S_loff_t:
		*kind = LX_K_LONG;
		*width = -8;
		return true;
	case LX_S_uid_t:
	case LX_S_gid_t:
		*kind = LX_K_UID;
		*width = 4;
		return true;
	case LX_S_uid16_t:
	case LX_S_gid16_t:
		*kind = LX_K_UID;
		*width = 2;
		return true;
	case LX_S_addr:
		*kind = LX_K_ADDR;
		*width = l;
		return true;
	default:
		return false;
	}
}

void dec_target(struct lx_dec *d, uint64_t addr, unsigned id, uint64_t count, bool counted)
{
	unsigned kind;
	int width;

	if (!addr) {
		dec_str(d, "NULL");
	} else if (id < LX_NS && lx_structs[id][d->call->abi].nfields) {
		if (counted)
			put_structs(d, addr, id, count);
		else
			dec_struct(d, addr, id);
	} else if (number_target(d, id, &kind, &width)) {
		put_numbers(d, addr, kind, width, count, counted);
	} else {
		switch (id) {
		case LX_S_void:
		case LX_S_char:
			if (counted)
				dec_buffer(d, addr, count);
			else
				dec_addr(d, addr);
			break;
		case LX_S_cstring:
			dec_cstring(d, addr, DEC_PATHMAX);
			break;
		case LX_S_sockval: /* most options are an int */
			if (count == 4)
				put_numbers(d, addr, LX_K_INT, -4, 0, false);
			else
				dec_buffer(d, addr, count);
			break;
		case LX_S_strv:
			put_strings(d, addr);
			break;
		case LX_S_envv:
			put_environment(d, addr);
			break;
		case LX_S_wstatus:
			put_status(d, addr);
			break;
		case LX_S_cpumask:
			put_bits(d, addr, count < 128 ? 8 * count : 1024);
			break;
		case LX_S_fd_set:
			put_bits(d, addr, count);
			break;
		case LX_S_sigset_t:
			dec_sigset(d, addr, 8);
			break;
		case LX_S_old_sigset_t:
			dec_sigset(d, addr, dec_long(d));
			break;
		case LX_S_siginfo_t:
			dec_siginfo(d, addr);
			break;
		case LX_S_iovec:
			dec_iovec(d, addr, count);
			break;
		case LX_S_sockaddr:
			dec_sockaddr(d, addr, counted ? count : 128);
			break;
		case LX_S_msghdr:
			dec_msghdr(d, addr);
			break;
		case LX_S_linux_dirent:
			put_dirents(d, addr, count, 2 * dec_long(d));
			break;
		case LX_S_linux_dirent64:
			put_dirents(d, addr, count, 16);
			break;
		default:
			dec_addr(d, addr);
		}
	}
}

const struct lx_struct *lx_struct_by_type(enum lx_abi abi, const char *type)
{
	unsigned id, i;

	for (id = 0; id < LX_NS; id++) {
		const char *have = lx_structs[id][abi].type;

		for (i = 0; have && have[i] && have[i] == type[i]; i++)
			;
		if (have && !have[i] && !type[i])
			return &lx_structs[id][abi];
	}
	return NULL;
}

const struct lx_struct *lx_struct_nth(enum lx_abi abi, unsigned n)
{
	unsigned id;

	for (id = 0; id < LX_NS; id++) {
		if (lx_structs[id][abi].nfields && !n--)
			return &lx_structs[id][abi];
	}
	return NULL;
}
