/* Socket addresses, messages, iovecs and siginfo: structures whose form depends on what is in them. */
#include "lx_syscall/decode_impl.h"

#include "lx_syscall/lx_rows.h"

/* iovecs with their content, as far as there is any. */
void dec_iovec(struct lx_dec *d, uint64_t addr, uint64_t n)
{
	uint64_t i, base, len, there = d->budget;
	unsigned l = dec_long(d);

	if (!dec_read_num(d, addr, (int)l, &base)) {
		dec_addr(d, addr);
		return;
	}
	dec_char(d, '[');
	for (i = 0; i < n && i < DEC_ELEMS && !d->full; i++) {
		if (i)
			dec_str(d, ", ");
		if (!dec_read_num(d, addr + 2 * i * l, (int)l, &base) || !dec_read_num(d, addr + 2 * i * l + l, (int)l, &len)) {
			dec_hex(d, addr + 2 * i * l);
			break;
		}
		dec_str(d, "{iov_base=");
		if (there)
			dec_buffer(d, base, len < there ? len : there);
		else
			dec_addr(d, base);
		there -= len < there ? len : there;
		dec_str(d, ", iov_len=");
		dec_uint(d, len);
		dec_char(d, '}');
	}
	dec_str(d, i < n ? ", ...]" : "]");
}

static void put_ipv4(struct lx_dec *d, const uint8_t a[4])
{
	unsigned i;

	for (i = 0; i < 4; i++) {
		if (i)
			dec_char(d, '.');
		dec_uint(d, a[i]);
	}
}

/* RFC 5952: the longest run of zero groups, if longer than one, becomes "::". */
static void put_ipv6(struct lx_dec *d, const uint8_t a[16])
{
	unsigned g[8], i, run, best = 8, best_len = 1;

	for (i = 0; i < 8; i++)
		g[i] = (unsigned)a[2 * i] << 8 | a[2 * i + 1];
	for (i = 0; i < 8; i++) {
		for (run = 0; i + run < 8 && !g[i + run]; run++)
			;
		if (run > best_len) {
			best = i;
			best_len = run;
		}
	}
	for (i = 0; i < 8; i++) {
		if (i == best) {
			dec_str(d, "::");
			i += best_len - 1;
			continue;
		}
		if (i && i != best + best_len)
			dec_char(d, ':');
		if (g[i]) {
			static const char hex[] = "0123456789abcdef";
			int shift = 12;

			while (!(g[i] >> shift))
				shift -= 4;
			for (; shift >= 0; shift -= 4)
				dec_char(d, hex[g[i] >> shift & 15]);
		} else {
			dec_char(d, '0');
		}
	}
}

static unsigned big16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void put_unix(struct lx_dec *d, const char *path, size_t len)
{
	size_t n;

	dec_str(d, ", sun_path=");
	if (len && !path[0]) { /* abstract: all of it counts */
		dec_char(d, '@');
		dec_quoted(d, path + 1, len - 1, false);
		return;
	}
	for (n = 0; n < len && path[n]; n++)
		;
	dec_quoted(d, path, n, false);
}

void dec_sockaddr(struct lx_dec *d, uint64_t addr, uint64_t len)
{
	uint8_t a[128];
	unsigned family;
	uint32_t v;

	if (len > sizeof(a))
		len = sizeof(a);
	if (len < 2 || !dec_read(d, addr, a, (size_t)len)) {
		dec_addr(d, addr);
		return;
	}
	family = a[0] | (unsigned)a[1] << 8;
	dec_str(d, "{sa_family=");
	dec_enum(d, LX_SET_af, family);
	if (family == 1) {
		if (len > 2)
			put_unix(d, (char *)a + 2, (size_t)len - 2 < 108 ? (size_t)len - 2 : 108);
	} else if (family == 2 && len >= 8) {
		dec_str(d, ", sin_port=htons(");
		dec_uint(d, big16(a + 2));
		dec_str(d, "), sin_addr=inet_addr(\"");
		put_ipv4(d, a + 4);
		dec_str(d, "\")");
	} else if (family == 10 && len >= 24) {
		dec_str(d, ", sin6_port=htons(");
		dec_uint(d, big16(a + 2));
		dec_str(d, "), inet_pton(AF_INET6, \"");
		put_ipv6(d, a + 8);
		dec_str(d, "\")");
	} else if (family == 16 && len >= 12) {
		__builtin_memcpy(&v, a + 4, 4);
		dec_str(d, ", nl_pid=");
		dec_uint(d, v);
		__builtin_memcpy(&v, a + 8, 4);
		dec_str(d, ", nl_groups=");
		dec_hex(d, v);
	} else if (len > 2) {
		dec_str(d, ", sa_data=");
		dec_quoted(d, (char *)a + 2, (size_t)len - 2 < DEC_STRMAX ? (size_t)len - 2 : DEC_STRMAX, len - 2 > DEC_STRMAX);
	}
	dec_char(d, '}');
}

/* Control messages: descriptors by number, the rest by their kind and length. A message is a long and two ints, then data,
 * padded to a long. */
static void put_control(struct lx_dec *d, uint64_t addr, uint64_t len)
{
	unsigned l = dec_long(d), head = l + 8, n, i;
	uint64_t size, level, type, fd;

	dec_char(d, '[');
	for (n = 0; n < DEC_ELEMS && len >= head && !d->full; n++) {
		if (!dec_read_num(d, addr, (int)l, &size) || !dec_read_num(d, addr + l, -4, &level) ||
		    !dec_read_num(d, addr + l + 4, -4, &type) || size < head || size > len)
			break;
		dec_str(d, n ? ", {cmsg_len=" : "{cmsg_len=");
		dec_uint(d, size);
		dec_str(d, ", cmsg_level=");
		dec_enum(d, LX_SET_sol, (int64_t)level);
		dec_str(d, ", cmsg_type=");
		if (level == 1)
			dec_enum(d, LX_SET_cmsg, (int64_t)type);
		else
			dec_hex(d, type);
		if (level == 1 && type == 1) { /* SCM_RIGHTS */
			dec_str(d, ", cmsg_data=[");
			for (i = 0; i < (size - head) / 4 && i < DEC_ELEMS && dec_read_num(d, addr + head + 4 * i, -4, &fd); i++) {
				dec_str(d, i ? ", " : "");
				dec_int(d, (int64_t)fd);
			}
			dec_str(d, i < (size - head) / 4 ? ", ...]" : "]");
		}
		dec_char(d, '}');
		size = (size + l - 1) & ~(uint64_t)(l - 1);
		addr += size;
		len -= size < len ? size : len;
	}
	dec_char(d, ']');
}

/* struct msghdr: name, namelen, iov, iovlen, control, controllen, flags; longs but for namelen and flags. */
void dec_msghdr(struct lx_dec *d, uint64_t addr)
{
	unsigned l = dec_long(d);
	uint64_t f[7], i;

	for (i = 0; i < 7; i++) {
		if (!dec_read_num(d, addr + i * l, i == 1 || i == 6 ? 4 : (int)l, &f[i])) {
			dec_addr(d, addr);
			return;
		}
	}
	dec_str(d, "{msg_name=");
	dec_sockaddr(d, f[0], f[1]);
	dec_str(d, ", msg_namelen=");
	dec_uint(d, f[1]);
	dec_str(d, ", msg_iov=");
	dec_iovec(d, f[2], f[3]);
	dec_str(d, ", msg_iovlen=");
	dec_uint(d, f[3]);
	if (f[4]) {
		dec_str(d, ", msg_control=");
		if (d->budget && f[5])
			put_control(d, f[4], f[5]);
		else
			dec_addr(d, f[4]);
	}
	dec_str(d, ", msg_controllen=");
	dec_uint(d, f[5]);
	dec_str(d, ", msg_flags=");
	dec_flags(d, LX_SET_msg, f[6]);
	dec_char(d, '}');
}

/* siginfo_t: three ints, then by signal and code; on x86_64 the rest is aligned to 8. */
void dec_siginfo(struct lx_dec *d, uint64_t addr)
{
	unsigned l = dec_long(d), rest = l == 8 ? 16 : 12;
	uint64_t signo, err, code, a, b, c;

	if (!dec_read_num(d, addr, -4, &signo) || !dec_read_num(d, addr + 4, -4, &err) || !dec_read_num(d, addr + 8, -4, &code) ||
	    !dec_read_num(d, addr + rest, -4, &a) || !dec_read_num(d, addr + rest + 4, 4, &b) ||
	    !dec_read_num(d, addr + rest + 8, -4, &c)) {
		dec_addr(d, addr);
		return;
	}
	dec_str(d, "{si_signo=");
	dec_signal(d, signo);
	dec_str(d, ", si_code=");
	dec_enum(d, LX_SET_sicode, (int64_t)code);
	if (err) {
		dec_str(d, ", si_errno=");
		dec_enum(d, LX_SET_errno, (int64_t)err);
	}
	if (signo == 17 && (int64_t)code > 0) {
		dec_str(d, ", si_pid=");
		dec_int(d, (int64_t)a);
		dec_str(d, ", si_uid=");
		dec_uint(d, b);
		dec_str(d, ", si_status=");
		dec_int(d, (int64_t)c);
	} else if ((signo == 11 || signo == 7 || signo == 4 || signo == 8) && (int64_t)code > 0) {
		dec_read_num(d, addr + rest, (int)l, &a);
		dec_str(d, ", si_addr=");
		dec_addr(d, a);
	} else if ((int64_t)code <= 0) {
		dec_str(d, ", si_pid=");
		dec_int(d, (int64_t)a);
		dec_str(d, ", si_uid=");
		dec_uint(d, b);
	}
	dec_char(d, '}');
}
