/* Calls as text, in both ABIs: each call's registers and memory against the line that strace would write. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lx_syscall/decode.h"
#include "lx_syscall/lx_rows.h"

/* A guest's memory: one mapping at BASE, written in order by put(). */
#define BASE 0x10000u
static uint8_t memory[8192];
static size_t used;

static size_t guest_read(void *arg, uint64_t addr, void *buf, size_t len)
{
	if (addr < BASE || addr >= BASE + sizeof(memory))
		return 0;
	if (len > BASE + sizeof(memory) - addr)
		len = BASE + sizeof(memory) - addr;
	memcpy(buf, memory + (addr - BASE), len);
	return len;
}

static const struct lx_mem mem = { .read = guest_read };

static uint64_t put(const void *data, size_t len)
{
	uint64_t at = BASE + used;

	assert_true(used + len + 16 < sizeof(memory));
	memcpy(memory + used, data, len);
	used = (used + len + 15) & ~15ul;
	return at;
}

static uint64_t put_str(const char *s)
{
	return put(s, strlen(s) + 1);
}

static int start(void **state)
{
	memset(memory, 0, sizeof(memory));
	used = 16;
	return 0;
}

static void expect(enum lx_abi abi, const char *name, bool returned, int64_t result, const uint64_t regs[6], const char *want)
{
	struct lx_call c = { .row = (unsigned)lx_row_by_name(name), .abi = abi, .returned = returned, .result = result };
	char text[1024];
	size_t len;

	memcpy(c.args, regs, sizeof(c.args));
	len = lx_decode_call(text, sizeof(text), &c, &mem);
	assert_string_equal(text, want);
	assert_int_equal(len, strlen(want));
}

#define ENTRY(abi, name, want, ...) expect(abi, name, false, 0, (uint64_t[6]){ __VA_ARGS__ }, want)
#define RETURN(abi, name, result, want, ...) expect(abi, name, true, result, (uint64_t[6]){ __VA_ARGS__ }, want)

static void files(void **state)
{
	uint64_t p = put_str("/etc/passwd"), hello = put_str("hi\n\1\"\0177\xff");
	struct stat st = { .st_dev = 0x801, .st_ino = 7, .st_mode = S_IFREG | 0644, .st_nlink = 1, .st_size = 1234 };

	RETURN(LX_SYS64, "openat", 3, "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = 3", (uint64_t)-100, p, 02000000, 0777);
	RETURN(LX_SYS64, "openat", -2, "openat(5, \"/etc/passwd\", O_WRONLY|O_CREAT|O_TRUNC, 0644) = -1 ENOENT", 5, p, 01101, 0644);
	ENTRY(LX_SYS32, "open", "open(\"/etc/passwd\", O_RDWR|O_TMPFILE, 0600)", 0xdeadbeef00000000 | p, 020200002, 0600);
	ENTRY(LX_SYS64, "open", "open(NULL, O_RDONLY|O_SYNC)", 0, 04010000);
	ENTRY(LX_SYS64, "open", "open(0x99, O_RDONLY|O_DSYNC)", 0x99, 010000);
	RETURN(LX_SYS64, "write", 5, "write(1, \"hi\\n\\1\\\"\", 5) = 5", 1, hello, 5);
	ENTRY(LX_SYS64, "read", "read(0, 0x10020, 5)", 0, BASE + 0x20, 5);
	RETURN(LX_SYS64, "read", 2, "read(0, \"hi\", 100) = 2", 0, hello, 100);
	RETURN(LX_SYS64, "read", -11, "read(0, 0x1, 100) = -1 EAGAIN", 0, 1, 100);
	RETURN(LX_SYS64, "read", 0, "read(0, \"\", 100) = 0", 0, hello, 100);
	RETURN(LX_SYS32, "pread64", 0, "pread64(3, \"\", 16, 4294967298) = 0", 3, hello, 16, 2, 1);
	RETURN(LX_SYS64, "fstat", 0,
	       "fstat(3, {st_dev=makedev(0x8, 0x1), st_ino=7, st_nlink=1, st_mode=S_IFREG|0644, st_uid=0, st_gid=0, "
	       "st_size=1234, st_mtime=0, ...}) = 0",
	       3, put(&st, sizeof(st)));
	RETURN(LX_SYS64, "access", 0, "access(\"/etc/passwd\", R_OK|X_OK) = 0", p, 5);
	RETURN(LX_SYS64, "access", 0, "access(\"/etc/passwd\", F_OK) = 0", p, 0);
	ENTRY(LX_SYS64, "mkdir", "mkdir(\"/etc/passwd\", 0755)", p, 0755);
	ENTRY(LX_SYS64, "mknod", "mknod(\"/etc/passwd\", S_IFCHR|0600, makedev(0x1, 0x3))", p, S_IFCHR | 0600, 0x103);
	RETURN(LX_SYS64, "umask", 022, "umask(077) = 022", 077);
	ENTRY(LX_SYS32, "truncate64", "truncate64(\"/etc/passwd\", 8589934593)", p, 1, 2);
	ENTRY(LX_SYS64, "fcntl", "fcntl(3, F_SETFD, FD_CLOEXEC)", 3, 2, 1);
	ENTRY(LX_SYS64, "fcntl", "fcntl(3, F_DUPFD_CLOEXEC, 10)", 3, 1030, 10);
	ENTRY(LX_SYS64, "linkat", "linkat(AT_FDCWD, \"/etc/passwd\", 4, NULL, AT_SYMLINK_FOLLOW|AT_EMPTY_PATH)", (uint64_t)-100, p, 4, 0,
	      0x1400);
	ENTRY(LX_SYS32, "fchown", "fchown(3, -1, 100)", 3, 0xffff, 100);
	ENTRY(LX_SYS64, "fchown", "fchown(3, -1, 65535)", 3, 0xffffffff, 0xffff);
}

static void memory_calls(void **state)
{
	uint32_t old[6] = { 0, 4096, 3, 0x22, 0xffffffff, 0 };

	RETURN(LX_SYS64, "mmap", 0x7f0000000000, "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000",
	       0, 4096, 3, 0x22, 0xffffffff, 0);
	RETURN(LX_SYS32, "mmap2", 0xf7f00000, "mmap2(NULL, 4096, PROT_NONE, MAP_PRIVATE|MAP_NORESERVE, 3, 1) = 0xf7f00000", 0, 4096, 0,
	       0x4002, 3, 1);
	RETURN(LX_SYS32, "mmap", -12,
	       "mmap({addr=NULL, length=4096, prot=PROT_READ|PROT_WRITE, flags=MAP_PRIVATE|MAP_ANONYMOUS, fd=-1, offset=0}) = -1 ENOMEM",
	       put(old, sizeof(old)));
	ENTRY(LX_SYS64, "mprotect", "mprotect(0x1000, 4096, PROT_READ|PROT_EXEC|0x100)", 0x1000, 4096, 0x105);
	ENTRY(LX_SYS64, "madvise", "madvise(0x1000, 4096, MADV_DONTNEED)", 0x1000, 4096, 4);
	RETURN(LX_SYS64, "brk", 0x555555559000, "brk(NULL) = 0x555555559000", 0);
}

static void processes(void **state)
{
	uint64_t argv[3] = { put_str("ls"), put_str("-l"), 0 }, envp[3] = { argv[0], argv[1], 0 };
	uint32_t status = 9, stopped = 0x137f, exited = 0x300;

	ENTRY(LX_SYS64, "execve", "execve(\"ls\", [\"ls\", \"-l\"], 0x10050 /* 2 vars */)", argv[0], put(argv, sizeof(argv)),
	      put(envp, sizeof(envp)));
	ENTRY(LX_SYS64, "clone", "clone(CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, NULL, NULL, 0x99, 0)", 0x1200011, 0, 0, 0x99, 0);
	ENTRY(LX_SYS32, "clone", "clone(CLONE_VM|CLONE_SETTLS, 0x8, NULL, 0x99, NULL)", 0x80100, 8, 0, 0x99, 0);
	RETURN(LX_SYS64, "wait4", 7, "wait4(-1, [{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}], WNOHANG, NULL) = 7", UINT32_MAX,
	       put(&status, 4), 1, 0);
	RETURN(LX_SYS32, "waitpid", 7, "waitpid(7, [{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}], WUNTRACED) = 7", 7, put(&stopped, 4), 2);
	RETURN(LX_SYS64, "wait4", 7, "wait4(7, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL) = 7", 7, put(&exited, 4), 0, 0);
	ENTRY(LX_SYS64, "kill", "kill(-5, SIGRT_2)", (uint64_t)-5, 34);
	ENTRY(LX_SYS64, "unshare", "unshare(CLONE_NEWUSER|CLONE_NEWPID)", 0x30000000);
	ENTRY(LX_SYS64, "exit_group", "exit_group(0)", 0);
	ENTRY(LX_SYS64, "getpid", "getpid()", 0);
	RETURN(LX_SYS64, "pause", -514, "pause() = ? ERESTARTNOHAND", 0);
}

static void signals(void **state)
{
	uint64_t act[4] = { 1, 0x14000000, 0x4000, 1 << 1 | 1 << 14 }, set = ~(uint64_t)0 & ~(1ull << 8), none = 0;
	uint32_t info[12] = { 17, 0, 1, 0, 55, 1000, 3 };

	ENTRY(LX_SYS64, "rt_sigaction",
	      "rt_sigaction(SIGINT, {sa_handler=SIG_IGN, sa_flags=SA_RESTORER|SA_RESTART, sa_restorer=0x4000, sa_mask=[INT TERM]}, NULL, 8)",
	      2, put(act, sizeof(act)), 0, 8);
	ENTRY(LX_SYS64, "rt_sigprocmask", "rt_sigprocmask(SIG_SETMASK, ~[KILL], NULL, 8)", 2, put(&set, 8), 0, 8);
	RETURN(LX_SYS64, "rt_sigprocmask", 0, "rt_sigprocmask(SIG_BLOCK, NULL, [], 8) = 0", 0, 0, put(&none, 8), 8);
	RETURN(LX_SYS64, "waitid", 0,
	       "waitid(P_PID, 55, {si_signo=SIGCHLD, si_code=1, si_pid=55, si_uid=1000, si_status=3}, WEXITED, NULL) = 0", 1, 55,
	       put(info, sizeof(info)), 4, 0);
	ENTRY(LX_SYS32, "signal", "signal(SIGHUP, SIG_DFL)", 1, 0);
	ENTRY(LX_SYS32, "ssetmask", "ssetmask([HUP])", 1);
}

static void times(void **state)
{
	int64_t ts[2] = { 1, 500000000 };
	int32_t ts32[2] = { 2, 7 };

	ENTRY(LX_SYS64, "nanosleep", "nanosleep({tv_sec=1, tv_nsec=500000000}, 0x30)", put(ts, sizeof(ts)), 0x30);
	ENTRY(LX_SYS32, "nanosleep", "nanosleep({tv_sec=2, tv_nsec=7}, NULL)", put(ts32, sizeof(ts32)), 0);
	RETURN(LX_SYS32, "clock_gettime64", 0, "clock_gettime64(CLOCK_MONOTONIC, {tv_sec=1, tv_nsec=500000000}) = 0", 1,
	       put(ts, sizeof(ts)));
	ENTRY(LX_SYS64, "futex", "futex(0x10010, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2, {tv_sec=1, tv_nsec=500000000})", BASE + 0x10, 128, 2,
	      put(ts, sizeof(ts)), 0, 0);
	ENTRY(LX_SYS64, "futex", "futex(0x10010, FUTEX_WAKE|FUTEX_PRIVATE_FLAG, 1)", BASE + 0x10, 129, 1, 0x77, 0x88, 0x99);
	ENTRY(LX_SYS64, "futex", "futex(0x10010, FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME, 0, NULL, 0xffffffff)", BASE + 0x10,
	      9 | 128 | 256, 0, 0, 0, UINT32_MAX);
}

static void network(void **state)
{
	uint8_t in[16] = { 2, 0, 0, 80, 127, 0, 0, 1 }, un[110] = { 1, 0, '/', 'x', 0 }, abstract[] = { 1, 0, 0, 'a', 'b' };
	uint8_t in6[28] = { 10, 0, 1, 187, 0, 0, 0, 0, 0x20, 1, 0xd, 0xb8, [23] = 1 };
	uint32_t len = 16, args[3], one = 1;
	uint64_t iov[4], msg[7] = { 0 };

	ENTRY(LX_SYS64, "socket", "socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK, 6)", 2, 02004001, 6);
	ENTRY(LX_SYS64, "connect", "connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}, 16)", 3,
	      put(in, 16), 16);
	ENTRY(LX_SYS64, "bind", "bind(3, {sa_family=AF_UNIX, sun_path=\"/x\"}, 110)", 3, put(un, 110), 110);
	ENTRY(LX_SYS64, "bind", "bind(3, {sa_family=AF_UNIX, sun_path=@\"ab\"}, 5)", 3, put(abstract, 5), 5);
	ENTRY(LX_SYS64, "connect",
	      "connect(3, {sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, \"2001:db8::1\")}, 28)", 3, put(in6, 28), 28);
	RETURN(LX_SYS64, "accept", 4,
	       "accept(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}, [16]) = 4", 3, put(in, 16), put(&len, 4));
	ENTRY(LX_SYS64, "setsockopt", "setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4)", 3, 1, 2, put(&one, 4), 4);
	args[0] = 3;
	args[1] = (uint32_t)put(in, 16);
	args[2] = 16;
	ENTRY(LX_SYS32, "socketcall",
	      "socketcall(SYS_CONNECT, [3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}, 16])", 3,
	      put(args, sizeof(args)));
	ENTRY(LX_SYS32, "socketcall", "socketcall(99, 0x5)", 99, 5);
	iov[0] = put_str("hello");
	iov[1] = 5;
	iov[2] = iov[0];
	iov[3] = 2;
	msg[2] = put(iov, sizeof(iov));
	msg[3] = 2;
	ENTRY(LX_SYS64, "writev", "writev(1, [{iov_base=\"hello\", iov_len=5}, {iov_base=\"he\", iov_len=2}], 2)", 1, msg[2], 2);
	RETURN(LX_SYS64, "readv", 3, "readv(1, [{iov_base=\"hel\", iov_len=5}, {iov_base=0x10110, iov_len=2}], 2) = 3", 1, msg[2], 2);
	ENTRY(LX_SYS64, "sendmsg",
	      "sendmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"hello\", iov_len=5}, {iov_base=\"he\", iov_len=2}], "
	      "msg_iovlen=2, msg_controllen=0, msg_flags=0}, MSG_NOSIGNAL)",
	      3, put(msg, sizeof(msg)), 0x4000);
}

static void others(void **state)
{
	struct { int fd; short events, revents; } p[2] = { { 3, 1, 0 }, { -1, 5, 1 } };
	uint64_t event[2] = { 0x500000001, 0 };
	uint16_t ws[4] = { 24, 80 };
	uint8_t set[128] = { 0x21 };
	uint32_t kludge[2] = { 0x99, 5 };
	char uts[390] = "Linux";

	ENTRY(LX_SYS64, "poll", "poll([{fd=3, events=POLLIN, revents=0}, {fd=-1, events=POLLIN|POLLOUT, revents=POLLIN}], 2, 1000)",
	      put(p, sizeof(p)), 2, 1000);
	ENTRY(LX_SYS64, "epoll_ctl", "epoll_ctl(3, EPOLL_CTL_ADD, 4, {events=EPOLLIN, data=0x5})", 3, 1, 4, put(event, sizeof(event)));
	ENTRY(LX_SYS64, "select", "select(6, [0 5], NULL, NULL, NULL)", 6, put(set, sizeof(set)), 0, 0, 0);
	RETURN(LX_SYS64, "ioctl", 0, "ioctl(1, TIOCGWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0}) = 0", 1, 0x5413,
	       put(ws, sizeof(ws)));
	RETURN(LX_SYS64, "ioctl", -25, "ioctl(1, TCGETS, 0x10) = -1 ENOTTY", 1, 0x5401, 0x10);
	RETURN(LX_SYS64, "sched_getaffinity", 8, "sched_getaffinity(0, 128, [0 5]) = 8", 0, 128, put(set, sizeof(set)));
	ENTRY(LX_SYS32, "ipc", "ipc(SEMGET, 1, 2, IPC_CREAT|0600)", 2, 1, 2, 0600 | 01000);
	ENTRY(LX_SYS32, "ipc", "ipc(MSGRCV, 1, 0x99, 100, 5, 0)", 12, 1, 100, 0, put(kludge, sizeof(kludge)), 0);
	ENTRY(LX_SYS32, "ipc", "ipc(77, 1, 0x2, 0x3, NULL)", 77, 1, 2, 3, 0);
	RETURN(LX_SYS64, "uname", 0,
	       "uname({sysname=\"Linux\", nodename=\"\", release=\"\", version=\"\", machine=\"\", domainname=\"\"}) = 0",
	       put(uts, sizeof(uts)));
	RETURN(LX_SYS64, "pipe2", 0, "pipe2([3, 4], O_CLOEXEC) = 0", put((int[]){ 3, 4 }, 8), 02000000);
	RETURN(LX_SYS64, "pipe2", -24, "pipe2(0x99, 0) = -1 EMFILE", 0x99, 0);
	ENTRY(LX_SYS64, "prctl", "prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)", 38, 1, 0, 0, 0);
}

static void short_buffers(void **state)
{
	struct lx_call c = { .row = LX_ROW_openat, .args = { (uint64_t)-100, put_str("/etc/passwd"), 0, 0 } };
	char text[64];
	size_t len;
	int64_t v;

	for (size_t size = 0; size < sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		lx_decode_call(text, size, &c, &mem);
		assert_int_equal(text[size], '#');
		if (!size)
			continue;
		assert_true(strlen(text) < size);
		if (size > 3 && size < strlen("openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY)") + 1)
			assert_string_equal(text + strlen(text) - 3, "...");
	}
	c.row = LX_NROWS;
	assert_int_equal(lx_decode_call(text, sizeof(text), &c, &mem), 0);
	c.row = LX_ROW_openat;
	len = lx_decode_call(text, sizeof(text), &c, NULL);
	assert_string_equal(text, "openat(AT_FDCWD, 0x10010, O_RDONLY)");
	assert_int_equal(len, strlen(text));
	lx_decode_arg(text, sizeof(text), &c, 1, &mem);
	assert_string_equal(text, "\"/etc/passwd\"");
	assert_int_equal(lx_decode_arg(text, sizeof(text), &c, 4, &mem), 0);
	c.result = -13;
	lx_decode_result(text, sizeof(text), &c);
	c.returned = true;
	lx_decode_result(text, sizeof(text), &c);
	assert_string_equal(text, "-1 EACCES");
	assert_string_equal(lx_errno_name(2), "ENOENT");
	assert_null(lx_errno_name(0));
	assert_null(lx_errno_name(-1));
	assert_string_equal(lx_signal_name(9), "SIGKILL");
	assert_null(lx_signal_name(40));
	assert_true(lx_constant("O_CREAT", &v));
	assert_int_equal(v, O_CREAT);
	assert_true(lx_constant("RUSAGE_CHILDREN", &v));
	assert_int_equal(v, -1);
	assert_false(lx_constant("O_CREA", &v));
	assert_false(lx_constant("", &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(files, start),   cmocka_unit_test_setup(memory_calls, start),
		cmocka_unit_test_setup(processes, start), cmocka_unit_test_setup(signals, start),
		cmocka_unit_test_setup(times, start),   cmocka_unit_test_setup(network, start),
		cmocka_unit_test_setup(others, start),  cmocka_unit_test_setup(short_buffers, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
