/* Names of a guest's UTS namespace. The kernel tells them only to a member, so a short-lived child of ours joins and
 * asks. Answers are kept for as long as no name changes anywhere on the host: /proc/sys/kernel/hostname
 * and domainname can be polled for that, and their events are not per namespace. */
#include "emul/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/host/cleanup.h"

#ifndef NS_GET_USERNS
#define NS_GET_USERNS _IO(0xb7, 0x1)
#endif

#define KEPT 8

/* An entry holds its namespace open, so that its inode number cannot come to mean another one. */
struct kept {
	int fd;
	uint64_t ino;
	struct utsname u;
};

static struct {
	pthread_mutex_t lock;
	bool ready;
	uint64_t own; /* this process's namespace */
	struct pollfd names[2];
	struct kept kept[KEPT];
	unsigned n, next;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* In memory that parent and child share. All else the child has copied: one that shares our memory would, by changing
 * its credentials, make this process undumpable. */
struct ask {
	struct utsname u;
	int ns;
	int error;
};

/* In the child. Root enters the namespace at once, its owner only as a member of the user namespace it belongs to. */
static int ask_child(void *arg)
{
	struct ask *a = arg;
	int user;

	if (setns(a->ns, CLONE_NEWUTS)) {
		user = ioctl(a->ns, NS_GET_USERNS);
		if (user < 0 || setns(user, CLONE_NEWUSER) || setns(a->ns, CLONE_NEWUTS)) {
			a->error = errno;
			return 1;
		}
	}
	a->error = uname(&a->u) ? errno : 0;
	return 0;
}

/* No exit signal: whoever waits for children in this process must not see this one. */
static int ask(int ns, struct utsname *u)
{
	_Alignas(16) char stack[16384];
	sigset_t all, old;
	struct ask *a;
	pid_t pid;
	int r;

	a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED)
		return -errno;
	a->ns = ns;
	a->error = EIO;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = clone(ask_child, stack + sizeof(stack), CLONE_VFORK, a);
	if (pid < 0)
		a->error = errno;
	else
		while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	*u = a->u;
	r = -a->error;
	munmap(a, sizeof(*a));
	return r;
}

static void forget(void)
{
	for (unsigned i = 0; i < cache.n; i++)
		close(cache.kept[i].fd);
	cache.n = 0;
}

/* True while nothing has been renamed since it was last called. */
static bool unchanged(void)
{
	static const char *const path[2] = { "/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname" };

	if (!cache.ready) {
		for (int i = 0; i < 2; i++)
			cache.names[i] = (struct pollfd){ open(path[i], O_RDONLY | O_CLOEXEC), POLLPRI, 0 };
		cache.ready = true;
	}
	if (cache.names[0].fd < 0 || cache.names[1].fd < 0)
		return false;
	return poll(cache.names, 2, 0) == 0;
}

static int lookup(pid_t tid, uint64_t ino, struct utsname *u)
{
	_cleanup_close_ int fd = -1;
	struct kept *k;
	char path[64];
	int r;

	if (!unchanged())
		forget();
	for (unsigned i = 0; i < cache.n; i++) {
		if (cache.kept[i].ino == ino) {
			*u = cache.kept[i].u;
			return 0;
		}
	}
	snprintf(path, sizeof(path), "/proc/%d/ns/uts", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = ask(fd, u);
	if (r)
		return r;
	if (cache.n < KEPT) {
		k = &cache.kept[cache.n++];
	} else {
		k = &cache.kept[cache.next++ % KEPT];
		close(k->fd);
	}
	*k = (struct kept){ steal_fd(&fd), ino, *u };
	return 0;
}

int guest_uts(pid_t tid, struct utsname *u)
{
	uint64_t ino = guest_ns(tid, "uts");
	int r;

	if (!ino)
		return -ESRCH;
	pthread_mutex_lock(&cache.lock);
	if (!cache.own)
		cache.own = guest_ns(0, "uts");
	if (ino == cache.own)
		r = uname(u) ? -errno : 0;
	else
		r = lookup(tid, ino, u);
	pthread_mutex_unlock(&cache.lock);
	return r;
}
