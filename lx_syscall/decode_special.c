/* Arguments that mean what others say: ioctl, fcntl, futex, clone, socket options, and the multiplexers socketcall and ipc,
 * which show the call inside them. */
#include "lx_syscall/decode_impl.h"

#include "lx_syscall/lx_rows.h"

static void put_ioctl_arg(struct lx_dec *d, uint64_t cmd, uint64_t v)
{
	switch (cmd) {
	case 0x5401: /* TCGETS */
		if (!dec_shown(d, LX_D_OUT))
			break;
		dec_struct(d, v, LX_S_termios);
		return;
	case 0x5402: /* TCSETS TCSETSW TCSETSF */
	case 0x5403:
	case 0x5404:
		dec_struct(d, v, LX_S_termios);
		return;
	case 0x5413: /* TIOCGWINSZ */
		if (!dec_shown(d, LX_D_OUT))
			break;
		dec_struct(d, v, LX_S_winsize);
		return;
	case 0x5414: /* TIOCSWINSZ */
		dec_struct(d, v, LX_S_winsize);
		return;
	case 0x540f: /* TIOCGPGRP TIOCOUTQ FIONREAD TIOCGSID TIOCGPTN SIOCATMARK BLKGETSIZE */
	case 0x5411:
	case 0x541b:
	case 0x5429:
	case 0x80045430:
	case 0x8905:
		if (!dec_shown(d, LX_D_OUT))
			break;
		dec_target(d, v, LX_S_int, 0, false);
		return;
	case 0x5410: /* TIOCSPGRP FIONBIO FIOASYNC TIOCSPTLCK */
	case 0x5421:
	case 0x5452:
	case 0x40045431:
		dec_target(d, v, LX_S_int, 0, false);
		return;
	case 0x5412: /* TIOCSTI */
		dec_buffer(d, v, 1);
		return;
	}
	dec_hex(d, v);
}

bool dec_special_absent(unsigned id, const uint64_t regs[6])
{
	if (id != LX_SP_fcntl)
		return false;
	switch ((uint32_t)regs[1]) {
	case 1: /* F_GETFD F_GETFL F_GETOWN F_GETSIG F_GETLEASE F_GETPIPE_SZ F_GET_SEALS */
	case 3:
	case 9:
	case 11:
	case 1025:
	case 1032:
	case 1034:
		return true;
	}
	return false;
}

static void put_fcntl_arg(struct lx_dec *d, uint64_t cmd, uint64_t v)
{
	unsigned flock = LX_S_flock;

	switch (cmd) {
	case 0: /* F_DUPFD F_DUPFD_CLOEXEC F_SETOWN F_SETPIPE_SZ */
	case 1030:
	case 8:
	case 1031:
		dec_int(d, (int32_t)v);
		break;
	case 2: /* F_SETFD */
		dec_flags(d, LX_SET_fdflags, v);
		break;
	case 4: /* F_SETFL */
		dec_flags(d, LX_SET_open, v);
		break;
	case 10: /* F_SETSIG */
		dec_signal(d, v);
		break;
	case 1024: /* F_SETLEASE */
		dec_enum(d, LX_SET_lock, (int64_t)v);
		break;
	case 1033: /* F_ADD_SEALS */
		dec_flags(d, LX_SET_seals, v);
		break;
	case 15: /* F_SETOWN_EX F_GETOWN_EX */
	case 16:
		dec_struct(d, v, LX_S_f_owner_ex);
		break;
	case 12: /* F_GETLK64 F_SETLK64 F_SETLKW64 and the locks of open files */
	case 13:
	case 14:
	case 36:
	case 37:
	case 38:
		flock = LX_S_flock64;
		__attribute__((fallthrough));
	case 5: /* F_GETLK F_SETLK F_SETLKW */
	case 6:
	case 7:
		dec_struct(d, v, flock);
		break;
	default:
		dec_hex(d, v);
	}
}

/* The second argument of prctl(2), by the first. */
static void put_prctl_arg(struct lx_dec *d, uint64_t option, uint64_t v)
{
	switch (option) {
	case 1: /* PR_SET_PDEATHSIG */
		dec_signal(d, v);
		break;
	case 4: /* PR_SET_DUMPABLE PR_CAPBSET_READ PR_CAPBSET_DROP PR_SET_CHILD_SUBREAPER PR_SET_NO_NEW_PRIVS PR_CAP_AMBIENT */
	case 23:
	case 24:
	case 36:
	case 38:
	case 47:
		dec_uint(d, v);
		break;
	case 15: /* PR_SET_NAME PR_GET_NAME */
	case 16:
		if (option == 15 || dec_shown(d, LX_D_OUT)) {
			dec_cstring(d, v, 15);
			break;
		}
		__attribute__((fallthrough));
	default:
		dec_hex(d, v);
	}
}

/* A futex operation and what belongs to it: futex(2). regs[2] is val, regs[3] timeout or val2, then uaddr2 and val3. */
static void put_futex(struct lx_dec *d, uint64_t op, const uint64_t regs[6], bool rest)
{
	unsigned timespec = d->call->row == LX_ROW_futex_time64 ? LX_S___kernel_timespec : LX_S_timespec;
	unsigned cmd = (unsigned)op & 0x7f;
	uint64_t timeout = d->call->abi == LX_SYS64 ? regs[3] : (uint32_t)regs[3];

	dec_enum(d, LX_SET_futex, cmd);
	if (op & ~0x7fULL) {
		dec_char(d, '|');
		dec_flags(d, LX_SET_futexfl, op & 0xffffff80);
	}
	if (!rest)
		return;
	dec_str(d, ", ");
	dec_int(d, (int32_t)regs[2]);
	switch (cmd) {
	case 0: /* WAIT LOCK_PI LOCK_PI2 WAIT_BITSET WAIT_REQUEUE_PI: with a timeout */
	case 6:
	case 9:
	case 11:
	case 13:
		dec_str(d, ", ");
		dec_target(d, timeout, timespec, 0, false);
		break;
	case 3: /* REQUEUE CMP_REQUEUE CMP_REQUEUE_PI WAKE_OP: with a second count */
	case 4:
	case 5:
	case 12:
		dec_str(d, ", ");
		dec_int(d, (int32_t)regs[3]);
		break;
	}
	if (cmd == 3 || cmd == 4 || cmd == 5 || cmd == 11 || cmd == 12) {
		dec_str(d, ", ");
		dec_addr(d, d->call->abi == LX_SYS64 ? regs[4] : (uint32_t)regs[4]);
	}
	if (cmd == 4 || cmd == 5 || cmd == 9 || cmd == 10 || cmd == 12) {
		dec_str(d, ", ");
		dec_hex(d, (uint32_t)regs[5]);
	}
}

static void put_clone_flags(struct lx_dec *d, uint64_t v)
{
	if (v & ~0xffULL) {
		dec_flags(d, LX_SET_clone, v & ~0xffULL);
		if (!(v & 0xff))
			return;
		dec_char(d, '|');
	}
	dec_signal(d, v & 0xff);
}

static void put_flagged_enum(struct lx_dec *d, uint64_t v, unsigned set, unsigned flags, uint64_t mask)
{
	dec_enum(d, set, (int64_t)(v & ~mask));
	if (v & mask) {
		dec_char(d, '|');
		dec_flags(d, flags, v & mask);
	}
}

/* Arguments of a call inside another one's, by its name. */
static void put_inner(struct lx_dec *d, const char *name, const uint64_t regs[6], unsigned max)
{
	int row = lx_row_by_name(name);

	if (row >= 0)
		dec_args_of(d, (unsigned)row, regs, max);
}

static void put_socketcall(struct lx_dec *d, uint64_t call, uint64_t addr)
{
	static const struct {
		const char *name;
		uint8_t n;
	} calls[] = {
		[1] = { "socket", 3 }, { "bind", 3 }, { "connect", 3 }, { "listen", 2 }, { "accept4", 3 }, { "getsockname", 3 },
		{ "getpeername", 3 }, { "socketpair", 4 }, { "sendto", 4 }, { "recvfrom", 4 }, { "sendto", 6 }, { "recvfrom", 6 },
		{ "shutdown", 2 }, { "setsockopt", 5 }, { "getsockopt", 5 }, { "sendmsg", 3 }, { "recvmsg", 3 }, { "accept4", 4 },
		{ "recvmmsg", 5 }, { "sendmmsg", 4 },
	};
	uint64_t regs[6] = { 0 };
	unsigned i;

	if (call == 0 || call >= sizeof(calls) / sizeof(calls[0])) {
		dec_addr(d, addr);
		return;
	}
	for (i = 0; i < calls[call].n; i++) {
		if (!dec_read_num(d, addr + 4 * i, 4, &regs[i])) {
			dec_addr(d, addr);
			return;
		}
	}
	dec_char(d, '[');
	put_inner(d, calls[call].name, regs, calls[call].n);
	dec_char(d, ']');
}

/* ipc(2) on i386: call, first, second, third, ptr, fifth. */
static void put_ipc(struct lx_dec *d, uint64_t call, const uint64_t regs[6])
{
	uint64_t first = regs[1], second = regs[2], third = regs[3], ptr = (uint32_t)regs[4], fifth = regs[5];
	uint64_t v, w;

	switch (call & 0xffff) {
	case 1:
		put_inner(d, "semop", (uint64_t[6]){ first, ptr, second }, 6);
		break;
	case 4:
		put_inner(d, "semtimedop", (uint64_t[6]){ first, ptr, second, fifth }, 6);
		break;
	case 2:
		put_inner(d, "semget", (uint64_t[6]){ first, second, third }, 6);
		break;
	case 3:
		if (!dec_read_num(d, ptr, 4, &v))
			v = ptr;
		put_inner(d, "semctl", (uint64_t[6]){ first, second, third & ~0x100ULL, v }, 6);
		break;
	case 11:
		put_inner(d, "msgsnd", (uint64_t[6]){ first, ptr, second, third }, 6);
		break;
	case 12: /* the old form: ptr points to the buffer's address and the type */
		if (call >> 16)
			put_inner(d, "msgrcv", (uint64_t[6]){ first, ptr, second, fifth, third }, 6);
		else if (dec_read_num(d, ptr, 4, &v) && dec_read_num(d, ptr + 4, 4, &w))
			put_inner(d, "msgrcv", (uint64_t[6]){ first, v, second, w, third }, 6);
		else
			dec_addr(d, ptr);
		break;
	case 13:
		put_inner(d, "msgget", (uint64_t[6]){ first, second }, 6);
		break;
	case 14:
		put_inner(d, "msgctl", (uint64_t[6]){ first, second & ~0x100ULL, ptr }, 6);
		break;
	case 21:
		put_inner(d, "shmat", (uint64_t[6]){ first, ptr, second }, 6);
		break;
	case 22:
		put_inner(d, "shmdt", (uint64_t[6]){ ptr }, 6);
		break;
	case 23:
		put_inner(d, "shmget", (uint64_t[6]){ first, second, third }, 6);
		break;
	case 24:
		put_inner(d, "shmctl", (uint64_t[6]){ first, second & ~0x100ULL, ptr }, 6);
		break;
	default:
		dec_int(d, (int32_t)first);
		dec_str(d, ", ");
		dec_hex(d, (uint32_t)second);
		dec_str(d, ", ");
		dec_hex(d, (uint32_t)third);
		dec_str(d, ", ");
		dec_addr(d, ptr);
	}
}

bool dec_special(struct lx_dec *d, unsigned id, unsigned n, uint64_t v, const uint64_t regs[6], bool rest)
{
	switch (id) {
	case LX_SP_clone:
		put_clone_flags(d, v);
		break;
	case LX_SP_fcntl:
		put_fcntl_arg(d, (uint32_t)regs[1], v);
		break;
	case LX_SP_futex:
		put_futex(d, v, regs, rest);
		return rest;
	case LX_SP_ioctl:
		put_ioctl_arg(d, (uint32_t)regs[1], v);
		break;
	case LX_SP_ipc:
		dec_enum(d, LX_SET_ipc, (int64_t)(v & 0xffff));
		if (!rest)
			break;
		dec_str(d, ", ");
		put_ipc(d, v, regs);
		return true;
	case LX_SP_mempolicy:
		put_flagged_enum(d, v, LX_SET_mempolicy, LX_SET_mempolicyfl, 0xe000);
		break;
	case LX_SP_old_sigset:
		dec_sigset_bits(d, v);
		break;
	case LX_SP_prctl:
		put_prctl_arg(d, (uint32_t)regs[0], v);
		break;
	case LX_SP_sighandler:
		dec_handler(d, v);
		break;
	case LX_SP_socketcall:
		put_socketcall(d, (uint32_t)regs[0], v);
		break;
	case LX_SP_sockopt:
		if ((uint32_t)regs[1] == 1)
			dec_enum(d, LX_SET_sockopt, (int64_t)v);
		else if ((uint32_t)regs[1] == 6)
			dec_enum(d, LX_SET_tcpopt, (int64_t)v);
		else
			dec_int(d, (int64_t)v);
		break;
	case LX_SP_socktype:
		put_flagged_enum(d, v, LX_SET_socktype, LX_SET_sock, 02004000);
		break;
	default:
		dec_addr(d, v);
	}
	return false;
}
