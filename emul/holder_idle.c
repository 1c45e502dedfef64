/* The end of a user's holder, without a race against consumers that are just connecting (holder_idle.h). */
#include "emul/holder_idle.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Opens the lock file that lies beside the socket. */
static int lock_open(const char *socket_path)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof(HOLDER_LOCK)];
	char *slash;

	strcpy(path, socket_path);
	slash = strrchr(path, '/');
	if (!slash)
		return -1;
	strcpy(slash + 1, HOLDER_LOCK);
	return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

bool holder_may_end(int listener)
{
	struct sockaddr_un sa = { 0 };
	socklen_t len = sizeof(sa) - 1;
	struct pollfd p = { .fd = listener, .events = POLLIN };
	int lock;

	if (getsockname(listener, (struct sockaddr *)&sa, &len) < 0 || sa.sun_path[0] != '/')
		return true; /* nameless: nobody can come */
	lock = lock_open(sa.sun_path);
	if (lock < 0)
		return true; /* its folder is gone: nobody can find us */
	if (flock(lock, LOCK_EX | LOCK_NB) < 0 || poll(&p, 1, 0) != 0) {
		close(lock);
		return false;
	}
	unlink(sa.sun_path); /* the lock stays ours until we exit */
	return true;
}
