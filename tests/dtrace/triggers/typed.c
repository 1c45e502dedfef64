/* Makes calls whose arguments point to known things: structures, strings, arrays of pointers. */
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	static const char *const argv[] = { "/nosuch/program", "first", "second", 0 }, *const envp[] = { 0 };
	long ts[2] = { 0, 1234567 };
	struct iovec iov[2] = { { (void *)"abc", 3 }, { (void *)"defgh", 5 } };
	struct utsname u;
	unsigned long rlim[2];

	syscall(SYS_nanosleep, ts, 0);
	syscall(SYS_openat, AT_FDCWD, "/nosuch/file", O_RDWR | O_CLOEXEC, 0);
	syscall(SYS_writev, -1, iov, 2);
	syscall(SYS_execve, argv[0], argv, envp);
	syscall(SYS_uname, &u);
	syscall(SYS_getrlimit, 7, rlim);
	syscall(SYS_nanosleep, 8, 0); /* not an address of anything */
	return 0;
}
