/* From our code to the guest's: see start.h. Runs in a forked child that is not dumpable, in the zone's namespaces. */
#include "zonectl/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "brand/user.h"
#include "brand/why_exec.h"
#include "common/host/cleanup.h"
#include "zonectl/sock.h"

#define GUEST_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

int start_socket(int sock[2], struct err *e)
{
	const int on = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0 || setsockopt(sock[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return err_set(e, errno, "socketpair");
	return 0;
}

int start_send(int sock, const struct start_msg *m, int fd)
{
	return sock_send(sock, m, sizeof(*m), &fd, fd >= 0);
}

int start_recv(int sock, struct start_msg *m, int *fd, pid_t *pid)
{
	unsigned n = 1;
	ssize_t r = sock_recv(sock, m, sizeof(*m), fd, &n, pid);

	if (r <= 0 || n == 0)
		*fd = -1;
	if (r <= 0)
		return (int)r;
	m->text[sizeof(m->text) - 1] = '\0';
	return r == sizeof(*m) ? 1 : -EPROTO;
}

void start_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

void start_complain(const char *who, const char *text)
{
	char safe[ERR_MAX];
	size_t n = 0;

	for (; text[n] && n < sizeof(safe) - 1; n++)
		safe[n] = (unsigned char)text[n] < 32 || text[n] == 127 ? '?' : text[n];
	safe[n] = '\0';
	fprintf(stderr, "%s: %s\n", who, safe);
}

int zone_cpus_bind(const struct lx_world *w, struct err *e)
{
	cpu_set_t set;

	if (!w->cpus)
		return 0;
	CPU_ZERO(&set);
	for (unsigned i = 0; i < sizeof(w->cpu_mask) * 8 && i < CPU_SETSIZE; i++)
		if (w->cpu_mask[i / 64] >> i % 64 & 1)
			CPU_SET(i, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return err_set(e, errno, "bind to the zone's processors");
	return 0;
}

static _Noreturn void fail(const struct zone_start *s, const struct err *e, int status)
{
	struct start_msg m = {.type = START_FAILED, .status = status};

	snprintf(m.text, sizeof(m.text), "%s", e->msg);
	start_send(s->sock, &m, -1);
	_exit(status);
}

/* A terminal of the zone's own, as standard input, output and error, and as controlling terminal. */
static int open_terminal(const struct zone_start *s, struct err *e)
{
	struct start_msg m = {.type = START_PTY};
	_cleanup_close_ int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	_cleanup_close_ int slave = -1;
	int unlock = 0, r;

	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return err_set(e, errno, "open a terminal");
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return err_set(e, errno, "open a terminal");
	r = start_send(s->sock, &m, master);
	if (r < 0)
		return err_set(e, -r, "hand over the terminal");
	if (ioctl(slave, TIOCSCTTY, 0) < 0)
		return err_set(e, errno, "take the terminal");
	for (int fd = 0; fd < 3; fd++)
		if (dup2(slave, fd) < 0)
			return err_set(e, errno, "dup2");
	return 0;
}

static void env_default(struct zone_strv *env, const char *key, const char *value, struct err *e)
{
	char text[4096];
	size_t n = strlen(key);

	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->v[i], key, n) && env->v[i][n] == '=')
			return;
	if (value && (size_t)snprintf(text, sizeof(text), "%s=%s", key, value) < sizeof(text))
		zone_strv_add(env, text, e);
}

/* What the caller's environment holds is not for guests. */
static void scrub_environment(void)
{
	for (char **v = environ; v && *v; v++)
		explicit_bzero(*v, strlen(*v));
	environ = NULL;
}

/* A later K=V replaces an earlier one. */
static int env_make(const struct zone_start *s, const struct brand_user *u, struct zone_strv *env, struct err *e)
{
	const struct zone_strv *given = &s->config->env;

	e->code = 0;
	for (size_t i = 0; i < given->n; i++) {
		size_t n = strcspn(given->v[i], "=") + 1;
		bool last = true;

		for (size_t k = i + 1; last && k < given->n; k++)
			last = strncmp(given->v[i], given->v[k], n) != 0;
		if (last)
			zone_strv_add(env, given->v[i], e);
	}
	env_default(env, "PATH", GUEST_PATH, e);
	env_default(env, "HOME", u->home[0] ? u->home : "/", e);
	env_default(env, "USER", u->name[0] ? u->name : NULL, e);
	env_default(env, "TERM", getenv("TERM"), e);
	env_default(env, "LANG", getenv("LANG"), e);
	env_default(env, "container", "lxzone", e);
	return -e->code;
}

/* -w must work; where the default can't, / will do. */
static int enter_cwd(const struct zone_start *s, struct err *e)
{
	const struct zone_config *c = s->config;
	const char *dir = c->cwd ? c->cwd : c->root ? "/" : c->host_cwd;

	if (dir && chdir(dir) == 0)
		return 0;
	if (c->cwd)
		return err_set(e, errno, "-w %s", c->cwd);
	return chdir("/") < 0 ? err_set(e, errno, "chdir /") : 0;
}

static int prepare(struct zone_start *s, struct zone_strv *env, struct err *e)
{
	struct brand_user u;
	int r;

	if (setsid() < 0 && errno != EPERM)
		return err_set(e, errno, "setsid");
	if (s->config->terminal && (r = open_terminal(s, e)) < 0)
		return r;
	/* The filter's listener comes after the socket, all else that we have open ends here. */
	if (s->sock != 3) {
		if (dup3(s->sock, 3, O_CLOEXEC) < 0)
			return err_set(e, errno, "dup3");
		s->sock = 3;
	}
	if (close_range(4, ~0u, 0) < 0)
		return err_set(e, errno, "close_range");
	r = brand_user_find(s->config->user, s->idmap, &u, e);
	if (r == 0)
		r = env_make(s, &u, env, e);
	if (r < 0)
		return r;
	scrub_environment();
	if (s->config->terminal && fchown(0, u.uid, (gid_t)-1) < 0)
		return err_set(e, errno, "own the terminal");
	r = brand_user_become(&u, s->idmap, e);
	if (r == 0)
		r = enter_cwd(s, e);
	umask(022);
	return r;
}

/* Installs the filter, says that all is ready, waits for GO; in this order, or with the filter last where a tracer traps. */
static int hand_over(const struct zone_start *s, struct err *e)
{
	struct start_msg m = {.type = START_READY};
	int listener = -1, fd, r = 0;

	/* Else an ordinary user's holder could not seize us: our memory belongs to the host's user namespace until exec. For
	 * that moment guests of this user of the zone can look at it, too: nothing in it is secret any more. */
	if (s->idmap->mode == ZONE_ID_SINGLE && prctl(PR_SET_DUMPABLE, 1) < 0)
		return err_set(e, errno, "become traceable");
	if (!s->trap_late)
		r = emul_filter_install(s->filter, &listener);
	if (r < 0)
		return err_set(e, -r, "install the system call filter");
	r = start_send(s->sock, &m, listener);
	if (listener >= 0)
		close(listener);
	if (r < 0)
		return err_set(e, -r, "report to the monitor");
	if (start_recv(s->sock, &m, &fd, NULL) != 1 || m.type != START_GO)
		_exit(START_FAULT); /* nobody is left to be told */
	if (s->trap_late && (r = emul_filter_install(s->filter, &listener)) < 0)
		return err_set(e, -r, "install the system call filter");
	return 0;
}

static const char *search_path(char *const *env)
{
	const char *path = GUEST_PATH;

	for (size_t i = 0; env[i]; i++)
		if (!strncmp(env[i], "PATH=", 5))
			path = env[i] + 5;
	return path;
}

/* The file called name in the part of a search path that begins at p. */
static bool path_file(const char *p, const char *name, char file[PATH_MAX])
{
	size_t n = strcspn(p, ":");

	return (size_t)snprintf(file, PATH_MAX, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name) < PATH_MAX;
}

/* The file that the command most likely is, looked for while nobody watches: a trace then begins with the one execve that
 * counts. Empty if there is none, and exec_path() will say why. */
static void find_command(const char *name, char *const *env, char file[PATH_MAX])
{
	struct stat st;

	if (strchr(name, '/') || !*name)
		goto none;
	for (const char *p = search_path(env);; p++) {
		if (path_file(p, name, file) && stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0)
			return;
		p += strcspn(p, ":");
		if (!*p)
			break;
	}
none:
	file[0] = '\0';
}

/* execvp(3) as POSIX has it, but without its fall-back to a shell. Returns the failure's exit status. */
static int exec_path(char *const *args, char *const *env, struct err *e)
{
	const char *path = search_path(env), *name = args[0];
	char file[PATH_MAX], found[PATH_MAX] = "";
	int why = ENOENT;

	if (strchr(name, '/')) {
		execve(name, args, env);
		return brand_why_exec(name, errno, e);
	}
	for (const char *p = path; *name; p++) {
		if (path_file(p, name, file)) {
			int failed;

			execve(file, args, env);
			failed = errno;
			/* The first file of that name tells why, unless a later one runs. */
			if (!found[0] && access(file, F_OK) == 0) {
				why = failed;
				strcpy(found, file);
			}
		}
		p += strcspn(p, ":");
		if (!*p)
			break;
	}
	if (found[0])
		return brand_why_exec(found, why, e);
	err_msg(e, ENOENT, "%s: not found in this root's %s", name, path);
	return 127;
}

_Noreturn void zone_start_child(const struct zone_start *given)
{
	struct zone_start s = *given;
	struct zone_strv env = {0};
	struct err e = {0};
	char file[PATH_MAX];
	int status;

	prctl(PR_SET_NAME, "zonectl"); /* what a trace shows until exec */
	if (prepare(&s, &env, &e) < 0)
		fail(&s, &e, START_FAULT);
	find_command(s.config->args.v[0], env.v, file);
	if (hand_over(&s, &e) < 0)
		fail(&s, &e, START_FAULT);
	sigprocmask(SIG_SETMASK, &s.mask, NULL);
	if (file[0])
		execve(file, s.config->args.v, env.v);
	status = exec_path(s.config->args.v, env.v, &e);
	fail(&s, &e, status);
}
