/* socketcall, through which i386 programs reach all of sockets: the filter must not take it for something else.
 * lxtest: --set kernel-version=4.4.0
 */
#include <sys/socket.h>

#include "tests/lib/guest.h"

#ifdef __i386__
enum { SOCKET = 1, BIND, CONNECT, LISTEN, ACCEPT, GETSOCKNAME, GETPEERNAME, SOCKETPAIR, SEND, RECV };

static void check(void)
{
	long *args = (long *)edge(4 * sizeof(long));
	int pair[2] = { -1, -1 };
	char buf[8] = "";

	args[0] = AF_UNIX, args[1] = SOCK_STREAM, args[2] = 0, args[3] = (long)pair;
	eq(CALL(SYS_socketcall, SOCKETPAIR, args, -1, -1), 0, "socketpair");
	args[0] = pair[0], args[1] = (long)"hello", args[2] = 5, args[3] = 0;
	eq(CALL(SYS_socketcall, SEND, args), 5, "send");
	args[0] = pair[1], args[1] = (long)buf, args[2] = 8, args[3] = 0;
	eq(CALL(SYS_socketcall, RECV, args), 5, "recv");
	str_eq(buf, "hello", "what was sent");
	args[0] = AF_INET, args[1] = SOCK_DGRAM, args[2] = 0;
	ok(CALL(SYS_socketcall, SOCKET, args) >= 0, "socket");
	args[0] = 9999, args[1] = 0, args[2] = 0;
	eq(CALL(SYS_socketcall, CONNECT, args), -EBADF, "connect on a bad descriptor");
	eq(CALL(SYS_socketcall, SOCKET, NULL), -EFAULT, "arguments at NULL");
	eq(CALL(SYS_socketcall, SOCKETPAIR, edge(3 * sizeof(long))), -EFAULT, "arguments that cross into an unmapped page");
	eq(CALL(SYS_socketcall, 0, args), -EINVAL, "function 0");
	eq(CALL(SYS_socketcall, 1000, args), -EINVAL, "function 1000");
}
#endif

int main(void)
{
#ifdef __i386__
	check();
#else
	ok(true, "an i386 matter");
#endif
	return done();
}
