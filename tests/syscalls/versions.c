/* Tries every number in a child of its own, with arguments that do no harm, and prints `NUMBER ENOSYS` or `NUMBER yes` for
 * each: yes also when the call ends the child or does not come back. Without a C library, which would want calls that an
 * old kernel version lacks. */
#include <stdint.h>

#define LAST 620

#ifdef __x86_64__
enum { NR_write = 1, NR_mmap = 9, NR_alarm = 37, NR_getpid = 39, NR_fork = 57, NR_vfork = 58, NR_exit = 60, NR_wait4 = 61,
       NR_kill = 62, NR_msgget = 68, NR_setsid = 112, NR_modify_ldt = 154, NR_setrlimit = 160, NR_futex = 202, NR_futex_time64 = -1,
       NR_ipc = -1, NR_sigsuspend = -1 };

static inline long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return r;
}
#else
enum { NR_exit = 1, NR_fork = 2, NR_write = 4, NR_getpid = 20, NR_alarm = 27, NR_kill = 37, NR_setsid = 66, NR_sigsuspend = 72,
       NR_setrlimit = 75, NR_wait4 = 114, NR_ipc = 117, NR_modify_ldt = 123, NR_vfork = 190, NR_mmap = 192, NR_futex = 240,
       NR_msgget = 399,
       NR_futex_time64 = 422 };

/* %ebx, %edi and %ebp, which compilers keep for themselves, come from memory. */
static inline long call(long nr, long a, long b, long c, long d, long e, long f)
{
	long rest[3] = { a, e, f };
	long r;

	__asm__ volatile("push %%ebx\n\tpush %%edi\n\tpush %%ebp\n\t"
			 "mov (%%edi), %%ebx\n\tmov 8(%%edi), %%ebp\n\tmov 4(%%edi), %%edi\n\t"
			 "int $0x80\n\t"
			 "pop %%ebp\n\tpop %%edi\n\tpop %%ebx"
			 : "=a"(r)
			 : "0"(nr), "D"(rest), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return r;
}
#endif

#define ENOSYS 38
enum { PENDING, ANSWERED, MISSING };

static long try(long nr, long self)
{
	static int word;

	if (nr == NR_futex || nr == NR_futex_time64) /* an unknown operation is ENOSYS too */
		return call(nr, (long)&word, 1, 1, 0, 0, 0);
	if (nr == NR_modify_ldt) /* so is an unknown function of these */
		return call(nr, 0, -1, 0, -1, -1, -1);
	if (nr == NR_ipc)
		return call(nr, 2, -1, -1, -1, -1, -1);
	if (nr == NR_msgget) /* makes nothing */
		return call(nr, -1, 0, 0, 0, 0, 0);
	if (nr == NR_kill)
		return call(nr, self, 0, 0, 0, 0, 0);
	if (nr == NR_sigsuspend)
		return call(nr, 0, 0, 0, 0, 0, 0);
	return call(nr, -1, -1, -1, -1, -1, -1);
}

static void child(long nr, volatile int *answer)
{
	static const long no_core[2];
	long self = call(NR_getpid, 0, 0, 0, 0, 0, 0), r;

	call(NR_setsid, 0, 0, 0, 0, 0, 0);
	call(NR_setrlimit, 4, (long)no_core, 0, 0, 0, 0);
	call(NR_alarm, 1, 0, 0, 0, 0, 0);
	r = try(nr, self);
	if (!((nr == NR_fork || nr == NR_vfork) && r == 0))
		*answer = r == -ENOSYS ? MISSING : ANSWERED;
	call(NR_exit, 0, 0, 0, 0, 0, 0);
}

static void print(long nr, int missing)
{
	char line[32];
	int n = 0, div;

	for (div = 100; div; div /= 10)
		line[n++] = (char)('0' + nr / div % 10);
	for (const char *s = missing ? " ENOSYS\n" : " yes\n"; *s; s++)
		line[n++] = *s;
	call(NR_write, 1, (long)line, n, 0, 0, 0);
}

__attribute__((used)) static int run(void)
{
	volatile int *answer = (int *)call(NR_mmap, 0, 4096, 3, 0x21, -1, 0);
	long nr, pid;

	if ((unsigned long)answer > -4096UL)
		return 1;
	for (nr = 0; nr <= LAST; nr++) {
		*answer = PENDING;
		pid = call(NR_fork, 0, 0, 0, 0, 0, 0);
		if (pid < 0)
			return 2;
		if (!pid)
			child(nr, answer);
		while (call(NR_wait4, pid, 0, 0, 0, 0, 0) == -4)
			;
		print(nr, *answer == MISSING);
	}
	return 0;
}

__attribute__((used, noreturn)) static void start(void)
{
	call(NR_exit, run(), 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

#ifdef __x86_64__
__asm__(".globl _start\n_start: xor %ebp, %ebp\n\tand $-16, %rsp\n\tcall start");
#else
__asm__(".globl _start\n_start: xor %ebp, %ebp\n\tand $-16, %esp\n\tcall start");
#endif
