/* The seccomp program of several worlds, run by a small interpreter over every number of both ABIs, numbers at the edges,
 * the x32 bit and foreign architectures, against what the table says of each; then one installed in children of ours. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emul/emul.h"
#include "lx_syscall/lx_rows.h"

/* Runs the classic BPF that seccomp accepts; anything else fails the test. */
static uint32_t bpf_run(const struct emul_filter *f, const struct seccomp_data *d, unsigned *steps)
{
	uint32_t acc = 0;

	for (unsigned pc = 0; pc < f->len; pc++) {
		const struct sock_filter *i = &f->code[pc];

		++*steps;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(i->k == offsetof(struct seccomp_data, nr) || i->k == offsetof(struct seccomp_data, arch));
			memcpy(&acc, (const char *)d + i->k, 4);
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += acc == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += acc >= i->k ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			fail_msg("instruction %u has code %#x", pc, i->code);
		}
	}
	fail_msg("ran off the end");
	return 0;
}

static uint32_t expected(const struct lx_world *w, enum lx_abi abi, uint32_t nr, uint32_t trap)
{
	int row = lx_row_by_nr(abi, nr), error = 0;

	if (row < 0)
		return SECCOMP_RET_ERRNO | ENOSYS;
	switch (lx_world_how(w, (unsigned)row, abi, &error)) {
	case LX_PASS: return SECCOMP_RET_ALLOW;
	case LX_EMULATE: return trap;
	case LX_DENY: return SECCOMP_RET_ERRNO | (uint32_t)error;
	}
	return 0;
}

static void check(const struct emul_filter *f, const struct lx_world *w, uint32_t arch, enum lx_abi abi, uint32_t nr,
		  uint32_t trap)
{
	struct seccomp_data d = { .nr = (int)nr, .arch = arch, .args = { -1ULL, -1ULL, -1ULL, -1ULL, -1ULL, -1ULL } };
	unsigned steps = 0;
	uint32_t got = bpf_run(f, &d, &steps), want = expected(w, abi, nr, trap);

	if (got != want)
		fail_msg("%s number %u: filter says %#x, table %#x", lx_abi_name(abi), nr, got, want);
	assert_in_range(steps, 1, 24); /* a tree, not a list */
}

static void check_world(const struct lx_world *w, enum emul_trap trap)
{
	static const uint32_t edges[] = { 1023, 1024, 1025, 4096, 0x3fffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };
	static const uint32_t foreign[] = { AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, AUDIT_ARCH_MIPS, 0, 0xffffffff };
	uint32_t action = trap == EMUL_TRAP_NOTIFY ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_TRACE;
	struct emul_filter f;
	unsigned steps = 0;
	struct err e;

	assert_int_equal(emul_filter_make(w, trap, &f, &e), 0);
	assert_int_equal(f.listens, trap == EMUL_TRAP_NOTIFY && lx_world_emulates(w));
	for (uint32_t nr = 0; nr < 1200; nr++) {
		check(&f, w, AUDIT_ARCH_X86_64, LX_SYS64, nr, action);
		check(&f, w, AUDIT_ARCH_I386, LX_SYS32, nr, action);
		check(&f, w, AUDIT_ARCH_X86_64, LX_SYS64, nr | 0x40000000, action);
		for (unsigned i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
			struct seccomp_data d = { .nr = (int)nr, .arch = foreign[i] };

			assert_int_equal(bpf_run(&f, &d, &steps), SECCOMP_RET_ERRNO | ENOSYS);
		}
	}
	for (unsigned i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		check(&f, w, AUDIT_ARCH_X86_64, LX_SYS64, edges[i], action);
		check(&f, w, AUDIT_ARCH_I386, LX_SYS32, edges[i], action);
	}
	emul_filter_free(&f);
}

static void test_worlds(void **state)
{
	static const struct lx_world worlds[] = {
		{ .version = 0 },
		{ .version = LX_VERSION(2, 6, 32), .release = "2.6.32" },
		{ .version = LX_VERSION(3, 10, 0), .release = "3.10.0" },
		{ .version = LX_VERSION(4, 4, 0), .release = "4.4.0", .cpus = 1, .cpu_mask = { 1 } },
		{ .version = LX_VERSION(5, 4, 0), .release = "5.4.0", .memory = 1 << 30 },
		{ .version = LX_VERSION(6, 1, 0), .domainname = "example" },
		{ .cpus = 2, .cpu_mask = { 3 } },
	};

	for (unsigned i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		check_world(&worlds[i], EMUL_TRAP_NOTIFY);
		check_world(&worlds[i], EMUL_TRAP_PTRACE);
	}
}

static void test_native_world_passes(void **state)
{
	struct lx_world w = { 0 };
	struct emul_filter f;
	struct err e;

	assert_int_equal(emul_filter_make(&w, EMUL_TRAP_NOTIFY, &f, &e), 0);
	assert_false(f.listens);
	emul_filter_free(&f);
}

/* A hook makes a passing row trap. */
static void test_hook_traps(void **state)
{
	struct emul_hook h = { 0 };
	struct lx_world w = { 0 };
	struct seccomp_data d = { .nr = SYS_getppid, .arch = AUDIT_ARCH_X86_64 };
	struct emul_filter f;
	unsigned steps = 0;
	struct err e;

	assert_int_equal(emul_hook_set(LX_ROW_getppid, &h), 0);
	assert_int_equal(emul_filter_make(&w, EMUL_TRAP_NOTIFY, &f, &e), 0);
	assert_int_equal(emul_hook_set(LX_ROW_getppid, NULL), 0);
	assert_int_equal(emul_hook_set(lx_nrows, &h), -EINVAL);
	assert_int_equal(bpf_run(&f, &d, &steps), SECCOMP_RET_USER_NOTIF);
	assert_true(f.listens);
	emul_filter_free(&f);
}

/* In a child: exit status 0 if the kernel answers as the filter should. */
static int in_child(const struct emul_filter *f)
{
	long nr[] = { 0x40000000 | SYS_getpid, 1000, -1, SYS_clone3 };
	int listener;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || emul_filter_install(f, &listener) || listener != -1)
		return 1;
	if (syscall(SYS_getpid) != getpid())
		return 2;
	for (unsigned i = 0; i < sizeof(nr) / sizeof(nr[0]); i++)
		if (syscall(nr[i], 0, 0, 0, 0, 0, 0) != -1 || errno != ENOSYS)
			return 10 + (int)i;
	return 0;
}

static void test_installed(void **state)
{
	struct lx_world w = { .version = LX_VERSION(4, 4, 0), .release = "4.4.0" };
	struct emul_filter f;
	struct err e;
	int status;
	pid_t pid;

	assert_int_equal(emul_filter_make(&w, EMUL_TRAP_PTRACE, &f, &e), 0);
	pid = fork();
	if (!pid)
		_exit(in_child(&f));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	emul_filter_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worlds),
		cmocka_unit_test(test_native_world_passes),
		cmocka_unit_test(test_hook_traps),
		cmocka_unit_test(test_installed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
