/* What a session traces: commands that it starts (-c), processes (-p), zones (-z), or else every running zone of the user.
 * Processes are served by the user's holder, those inside a zone by the zone's: a process has one tracer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "zonectl/control.h"
#include "zonectl/dtrace_impl.h"
#include "zonectl/holder_client.h"
#include "zonectl/zones.h"

char **dtrace_split(char *text)
{
	static const char blanks[] = "\f\n\r\t\v ";
	char **argv = calloc(strlen(text) / 2 + 2, sizeof(char *)), *save;
	unsigned n = 0;

	for (char *w = argv ? strtok_r(text, blanks, &save) : NULL; w; w = strtok_r(NULL, blanks, &save))
		argv[n++] = w;
	if (argv && !n)
		argv[0] = text;
	return argv;
}

/* The file that a command's name stands for, as execvp() would find it: one exec, so that a trace shows one. */
static int find_program(const char *name, char *path, struct err *e)
{
	const char *dirs = getenv("PATH"), *end;
	int error = ENOENT;
	struct stat st;

	if (strchr(name, '/')) {
		if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
			return err_set(e, ENAMETOOLONG, "failed to execute %s", name);
		if (access(path, X_OK) < 0 || stat(path, &st) < 0)
			return err_set(e, errno, "failed to execute %s", name);
		return S_ISREG(st.st_mode) ? 0 : err_set(e, EACCES, "failed to execute %s", name);
	}
	for (dirs = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; *name; dirs = end + 1) {
		end = strchrnul(dirs, ':');
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - dirs), dirs, end > dirs ? "/" : "", name) < PATH_MAX) {
			if (access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
				return 0;
			if (errno == EACCES)
				error = EACCES;
		}
		if (!*end)
			break;
	}
	return err_set(e, error, "failed to execute %s", name);
}

/* The child of -c: waits at the gate, then becomes the command. If we die first, so does it. */
_Noreturn static void wait_and_exec(const int *gate, const char *path, char **argv)
{
	char c;
	ssize_t n;

	/* Where the host lets only ancestors trace, let the holder. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	signal(SIGXFSZ, SIG_DFL);
	close(gate[1]);
	do
		n = read(gate[0], &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	execv(path, argv);
	if (errno == ENOEXEC) {
		char *sh[3] = { (char *)"sh", (char *)path, NULL };

		execv("/bin/sh", sh);
	}
	dprintf(STDERR_FILENO, "dtrace: failed to execute %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int add_pid(struct dtrace_targets *t, pid_t pid, struct err *e)
{
	pid_t *all = reallocarray(t->pid, t->npid + 1, sizeof(*all));

	if (!all)
		return err_set(e, ENOMEM, "targets");
	t->pid = all;
	t->pid[t->npid++] = pid;
	return 0;
}

static int start_command(struct dtrace_targets *t, const char *command, struct err *e)
{
	_cleanup_free_ char *text = strdup(command);
	_cleanup_free_ char **argv = text ? dtrace_split(text) : NULL;
	char path[PATH_MAX];
	pid_t pid;
	int r;

	if (!argv)
		return err_set(e, ENOMEM, "%s", command);
	r = find_program(argv[0], path, e);
	if (r < 0)
		return r;
	if (t->gate[0] < 0 && pipe2(t->gate, O_CLOEXEC) < 0)
		return err_set(e, errno, "pipe");
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		wait_and_exec(t->gate, path, argv);
	if (pid < 0)
		return err_set(e, errno, "fork");
	return add_pid(t, pid, e);
}

int dtrace_targets_prepare(struct dtrace_targets *t, struct err *e)
{
	unsigned given = t->npid;

	for (unsigned i = 0; i < given; i++) {
		if (kill(t->pid[i], 0) < 0 && errno == ESRCH)
			return err_set(e, errno, "failed to grab pid %d", (int)t->pid[i]);
	}
	for (unsigned i = 0; !t->nzone && i < t->ncommand; i++) {
		int r = start_command(t, t->command[i], e);

		if (r < 0)
			return r;
	}
	t->target = t->npid ? t->pid[0] : -1;
	return 0;
}

/* ---- Sessions ---- */

static int open_zone(struct dt_consumer *c, const struct zone_info *z, struct err *e)
{
	char name[ZONE_NAME_MAX + 8];
	struct dt_target t = { .name = name, .zone = true, .pid = &z->init, .npid = z->init > 0 };
	int sock, r;

	snprintf(name, sizeof(name), "zone %s", z->name);
	r = zone_trace_connect(z->name, &sock, e);
	return r < 0 ? r : dt_consumer_add(c, sock, &t, e);
}

static int open_pids(struct dt_consumer *c, const char *zone, const pid_t *pid, unsigned n, struct err *e)
{
	struct dt_target t = { .name = zone ? zone : "processes", .follow = true, .pid = pid, .npid = n };
	int sock, r;

	if (zone)
		r = zone_trace_connect(zone, &sock, e);
	else
		r = sock = holder_connect(e);
	return r < 0 ? r : dt_consumer_add(c, sock, &t, e);
}

/* Number of a process's pid namespace, 0 if it cannot be seen. */
static ino_t pidns_of(pid_t pid)
{
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* The same of a zone, as its monitor knows it: its init may be out of our reach. 0 while it starts or ends. */
static ino_t pidns_of_zone(const char *zone)
{
	struct ctl_msg m = { .type = CTL_INFO };
	_cleanup_close_ int sock = -1;
	struct zone_dir d;
	unsigned n = 0;

	if (zone_dir_open(&d, zone, NULL) < 0)
		return 0;
	sock = ctl_connect(&d, NULL);
	zone_dir_close(&d);
	return sock >= 0 && ctl_call(sock, &m, NULL, 0, &n, NULL) == 0 ? (ino_t)m.u.info.pidns : 0;
}

/* Processes by their tracer: one session with each zone that holds some of them, one with the user's holder for the rest. */
static int open_processes(struct dtrace_targets *t, struct dt_consumer *c, const struct zone_info *zones, size_t nzones, struct err *e)
{
	_cleanup_free_ pid_t *left = malloc((t->npid + 1) * sizeof(pid_t)), *in = malloc((t->npid + 1) * sizeof(pid_t));
	unsigned nleft = 0;
	int r = 0;

	if (!left || !in)
		return err_set(e, ENOMEM, "targets");
	memcpy(left, t->pid, t->npid * sizeof(pid_t));
	nleft = t->npid;
	for (size_t i = 0; r == 0 && nleft && i < nzones; i++) {
		ino_t ns = pidns_of_zone(zones[i].name);
		unsigned n = 0, keep = 0;

		for (unsigned k = 0; k < nleft; k++) {
			if (ns && pidns_of(left[k]) == ns)
				in[n++] = left[k];
			else
				left[keep++] = left[k];
		}
		nleft = keep;
		if (n)
			r = open_pids(c, zones[i].name, in, n, e);
	}
	return r == 0 && nleft ? open_pids(c, NULL, left, nleft, e) : r;
}

int dtrace_targets_open(struct dtrace_targets *t, struct dt_consumer *c, struct err *e)
{
	_cleanup_free_ struct zone_info *zones = NULL;
	size_t nzones = 0, i;
	bool all = !t->nzone && !t->npid, any = false;
	int r = zone_list(&zones, &nzones, e);

	if (r < 0)
		return r;
	for (unsigned k = 0; k < t->nzone; k++) {
		for (i = 0; i < nzones && strcmp(zones[i].name, t->zone[k]); i++)
			;
		if (i == nzones)
			return err_msg(e, ENOENT, "zone %s: no such running zone", t->zone[k]);
		r = open_zone(c, &zones[i], e);
		if (r < 0)
			return r;
	}
	for (i = 0; all && i < nzones; i++) {
		struct err gone;

		if (open_zone(c, &zones[i], &gone) < 0) { /* it may just have ended */
			if (kill(zones[i].monitor, 0) == 0)
				fprintf(stderr, "dtrace: zone %s: %s\n", zones[i].name, gone.msg);
			continue;
		}
		any = true;
	}
	if (t->npid)
		return open_processes(t, c, zones, nzones, e);
	return all && !any ? open_pids(c, NULL, NULL, 0, e) : 0;
}

/* -c with -z: `zonectl exec`, whose process tells when the command has ended. */
static int start_in_zone(const char *zone, const char *command, struct dt_consumer *c, struct err *e)
{
	_cleanup_free_ char *text = strdup(command);
	_cleanup_free_ char **words = text ? dtrace_split(text) : NULL, **argv = NULL;
	unsigned n = 0;
	pid_t pid;

	while (words && words[n])
		n++;
	argv = calloc(n + 5, sizeof(char *));
	if (!words || !argv)
		return err_set(e, ENOMEM, "%s", command);
	argv[0] = (char *)"zonectl";
	argv[1] = (char *)"exec";
	argv[2] = (char *)zone;
	argv[3] = (char *)"--";
	memcpy(argv + 4, words, n * sizeof(char *));
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		signal(SIGXFSZ, SIG_DFL);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	return pid < 0 ? err_set(e, errno, "fork") : dt_consumer_add_child(c, pid, e);
}

int dtrace_targets_release(struct dtrace_targets *t, struct dt_consumer *c, struct err *e)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && t->gate[1] >= 0 && i < t->ncommand; i++) {
		if (write(t->gate[1], "", 1) != 1)
			r = err_set(e, errno, "start the command");
	}
	for (unsigned i = 0; r == 0 && t->nzone && i < t->ncommand; i++)
		r = start_in_zone(t->zone[0], t->command[i], c, e);
	return r;
}

void dtrace_targets_free(struct dtrace_targets *t)
{
	for (int i = 0; i < 2; i++) {
		if (t->gate[i] >= 0)
			close(t->gate[i]);
	}
	free(t->command);
	free(t->pid);
	free(t->zone);
}
