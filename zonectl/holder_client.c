/* Connects to the user's holder under the lock that keeps it from ending meanwhile (emul/holder_idle.h). Where none runs,
 * we make the listening socket ourselves and give it to a new one: our connection waits in it until the holder is up. */
#include "zonectl/holder_client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "common/host/rundir.h"
#include "emul/holder_idle.h"

#define TRACER_FILES 64 /* that the least of tracers needs, */
#define MANY_FILES 1024 /* and one for many sessions */
#define LISTENER_FD 3 /* where cmd_holder expects it */

/* In the child of the child: nothing of the consumer is kept. Async-signal-safe. */
static void exec_holder(int listener)
{
	static char *const argv[] = {(char *)"zonectl", (char *)"holder", NULL};
	sigset_t none;
	int null;

	setsid();
	sigemptyset(&none);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir("/") < 0 || dup2(listener, LISTENER_FD) < 0)
		_exit(127);
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close_range(LISTENER_FD + 1, ~0u, 0);
	fcntl(LISTENER_FD, F_SETFD, 0);
	execv("/proc/self/exe", argv);
	_exit(127);
}

static bool may_lift(int limit, const struct rlimit *now, rlim_t to)
{
	const struct rlimit lifted = {now->rlim_cur, to};

	return setrlimit(limit, &lifted) == 0 && setrlimit(limit, now) == 0;
}

/* Is a limit set on us that a holder, which we would start, could not lift? */
static bool is_limited(void)
{
	static const int limits[] = {RLIMIT_AS, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE};
	struct rlimit rl;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (getrlimit(limits[i], &rl) == 0 && rl.rlim_max != RLIM_INFINITY && !may_lift(limits[i], &rl, RLIM_INFINITY))
			return true;
	return getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_max < MANY_FILES && !may_lift(RLIMIT_NOFILE, &rl, MANY_FILES);
}

static int start_holder(const struct sockaddr_un *sa, struct err *e)
{
	_cleanup_close_ int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct rlimit rl = {0};
	int status;
	pid_t pid;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_max < TRACER_FILES && !may_lift(RLIMIT_NOFILE, &rl, MANY_FILES))
		return err_msg(e, EMFILE, "the limit of open files is %llu, a tracer needs %d: ulimit -n %d",
			       (unsigned long long)rl.rlim_max, TRACER_FILES, TRACER_FILES);
	unlink(sa->sun_path); /* left by one that was killed */
	if (listener < 0 || bind(listener, (const struct sockaddr *)sa, sizeof(*sa)) < 0 || listen(listener, 128) < 0)
		return err_set(e, errno, "%s", sa->sun_path);
	pid = fork();
	if (pid == 0) {
		pid = fork();
		if (pid == 0)
			exec_holder(listener);
		_exit(pid < 0);
	}
	if (pid < 0)
		return err_set(e, errno, "start the tracer");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0; /* somebody else waits for our children: then the connection tells */
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : err_msg(e, EAGAIN, "the tracer could not be started");
}

/* A holder is told from those of other builds of the program: they may lay out shared memory in another way. */
static void socket_name(char name[NAME_MAX])
{
	struct stat st = { 0 };
	uint64_t id[4], h = 14695981039346656037u;

	stat("/proc/self/exe", &st);
	id[0] = st.st_dev;
	id[1] = st.st_ino;
	id[2] = (uint64_t)st.st_mtim.tv_sec;
	id[3] = (uint64_t)st.st_mtim.tv_nsec;
	for (unsigned i = 0; i < 4; i++)
		h = (h ^ id[i]) * 1099511628211u;
	snprintf(name, NAME_MAX, HOLDER_SOCKET_PREFIX "%016llx.sock", (unsigned long long)h);
}

/* Removes what killed holders of other builds have left. Under the lock: none is just starting. */
static void sweep(int dir, const char *path, const char *own)
{
	DIR *d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *de;

	while (d && (de = readdir(d))) {
		struct sockaddr_un sa = { .sun_family = AF_UNIX };
		_cleanup_close_ int sock = -1;

		if (strncmp(de->d_name, HOLDER_SOCKET_PREFIX, strlen(HOLDER_SOCKET_PREFIX)) || !strcmp(de->d_name, own) ||
		    snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/%s", path, de->d_name) >= (int)sizeof(sa.sun_path))
			continue;
		sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (sock >= 0 && connect(sock, (const struct sockaddr *)&sa, sizeof(sa)) < 0 && errno == ECONNREFUSED)
			unlink(sa.sun_path);
	}
	if (d)
		closedir(d);
}

int holder_connect(struct err *e)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	_cleanup_close_ int dir = -1, lock = -1, sock = -1;
	char path[PATH_MAX], name[NAME_MAX];
	bool alone;
	int r;

	dir = rundir_open(path, e);
	if (dir < 0)
		return dir;
	socket_name(name);
	if (snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/%s", path, name) >= (int)sizeof(sa.sun_path))
		return err_msg(e, ENAMETOOLONG, "run directory %s: too long a name for a socket", path);
	lock = openat(dir, HOLDER_LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock < 0)
		return err_set(e, errno, "%s/" HOLDER_LOCK, path);
	while (flock(lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return err_set(e, errno, "%s/" HOLDER_LOCK, path);
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return err_set(e, errno, "socket");
	if (connect(sock, (const struct sockaddr *)&sa, sizeof(sa)) == 0)
		return steal_fd(&sock);
	sweep(dir, path, name);
	alone = is_limited();
	if (alone) /* others are not to be served by it */
		snprintf(strrchr(sa.sun_path, '/'), sizeof(HOLDER_SOCKET_PREFIX) + 16, "/" HOLDER_SOCKET_PREFIX "%d.sock", getpid());
	r = start_holder(&sa, e);
	if (r == 0 && connect(sock, (const struct sockaddr *)&sa, sizeof(sa)) < 0)
		r = err_set(e, errno, "connect to the tracer");
	if (alone)
		unlink(sa.sun_path);
	return r < 0 ? r : steal_fd(&sock);
}
