/* The life of a zone as its monitor sees it: make, start, loop, clean up; see monitor.h. */
#include "zonectl/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "brand/user.h"
#include "common/host/cleanup.h"
#include "zonectl/monitor_impl.h"
#include "zonectl/signals.h"
#include "zonectl/sock.h"

/* As root: a private range of ids if the root's files can follow it, else the host's ids. */
static int root_idmap(const struct zone_config *c, unsigned slot, struct zone_idmap *m, char *note, size_t size, struct err *e)
{
	int works = zone_idmap_works(c->root ? c->root : "/", !c->root, e);

	if (works < 0)
		return works;
	if (works) {
		zone_idmap_private(m, slot);
		return 0;
	}
	*m = (struct zone_idmap){.mode = ZONE_ID_IDENTITY, .count = UINT32_MAX};
	snprintf(note, size, "%s: no id-mapped mounts here; root in this zone has the host's ids", c->root ? c->root : "/");
	return 0;
}

int monitor_plan(const struct zone_config *c, const struct brand_settings *s, unsigned slot, struct zone_idmap *m, struct zone_plan *p,
		 char *note, size_t size, struct err *e)
{
	_cleanup_close_ int root = -1;
	int r;

	note[0] = '\0';
	if (zone_idmap_privileged()) {
		r = root_idmap(c, slot, m, note, size, e);
	} else {
		root = open(c->root ? c->root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			return err_set(e, errno, "root %s", c->root);
		r = brand_user_single(c->user, root, !c->root, m, e);
	}
	return r < 0 ? r : zone_plan_make(c, s, m, p, e);
}

static int open_notes(struct monitor *m, struct err *e)
{
	void *p;

	m->notes_fd = memfd_create("notes", MFD_CLOEXEC);
	if (m->notes_fd < 0 || ftruncate(m->notes_fd, sizeof(struct emul_notes)) < 0)
		return err_set(e, errno, "notes");
	p = mmap(NULL, sizeof(struct emul_notes), PROT_READ | PROT_WRITE, MAP_SHARED, m->notes_fd, 0);
	if (p == MAP_FAILED)
		return err_set(e, errno, "notes");
	m->notes = p;
	return 0;
}

/* Guests of a zone in the background must not hold the caller's terminal or pipe open. */
static int redirect(struct monitor *m, struct err *e)
{
	_cleanup_close_ int null = -1, log = -1;

	if (!m->conf->detached)
		return 0;
	log = openat(m->dir.fd, "log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (log < 0 || null < 0 || (!m->conf->interactive && dup2(null, 0) < 0) || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		return err_set(e, errno, "redirect output to the zone's log");
	return 0;
}

static void note(const struct monitor *m, const char *text)
{
	if (text[0] && (m->conf->verbose || m->idmap.mode == ZONE_ID_IDENTITY) && !m->conf->detached)
		fprintf(stderr, "zonectl: note: %s\n", text);
}

static int make(struct monitor *m, struct err *e)
{
	struct zone_config *c = m->conf->config;
	char text[PATH_MAX + 200];
	int r = brand_settings_make(c, &m->settings, e);

	if (r == 0)
		r = m->signals = signals_take(&m->old_mask, e);
	if (r < 0)
		return r;
	r = zone_dir_create(&m->dir, c->name, c->args.v[0], e);
	if (r < 0)
		return r;
	if (!c->name && !(c->name = strdup(m->dir.name)))
		return err_set(e, ENOMEM, "name");
	r = monitor_plan(c, &m->settings, m->dir.slot, &m->idmap, &m->plan, text, sizeof(text), e);
	if (r < 0)
		return r;
	note(m, text);
	m->trap = m->settings.trap_ptrace && lx_world_emulates(&m->settings.world);
	r = emul_filter_make(&m->settings.world, m->settings.trap_ptrace ? EMUL_TRAP_PTRACE : EMUL_TRAP_NOTIFY, &m->filter, e);
	if (r == 0 && lx_world_emulates(&m->settings.world))
		r = open_notes(m, e);
	if (r == 0)
		r = zone_config_save(c, m->dir.fd, "config.json", e);
	if (r >= 0)
		r = m->listener = ctl_listen(&m->dir, e);
	return r < 0 ? r : redirect(m, e);
}

static int save_state(struct monitor *m, const char *status, struct err *e)
{
	snprintf(m->info.status, sizeof(m->info.status), "%s", status);
	return zone_state_save(&m->dir, &m->info, &m->groups, e);
}

static void describe(struct monitor *m)
{
	const struct zone_config *c = m->conf->config;
	size_t n = 0;

	m->info.monitor = getpid();
	m->info.started = (uint64_t)time(NULL);
	snprintf(m->info.root, sizeof(m->info.root), "%s", c->root ? c->root : "");
	for (size_t i = 0; i < c->args.n && n < sizeof(m->info.command); i++)
		n += (size_t)snprintf(m->info.command + n, sizeof(m->info.command) - n, "%s%s", i ? " " : "", c->args.v[i]);
}

static int clone_init(struct monitor *m, int init_end, int start_end, struct err *e)
{
	struct clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_PIDFD,
		.exit_signal = SIGCHLD,
		.pidfd = (uint64_t)(uintptr_t)&m->init_fd,
	};
	struct init_conf c = {
		.start = {m->conf->config, &m->settings, &m->idmap, &m->filter, m->trap, start_end, m->old_mask},
		.plan = &m->plan,
		.sock = init_end,
		.title = m->conf->title,
		.title_size = m->conf->title_size,
	};

	_cleanup_close_ int group = zone_cgroups_make(&m->groups);

	/* Born in its control group: moving there later waits for every CPU. */
	if (group >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)group;
	}
	m->init = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (m->init < 0 && group >= 0) {
		args.flags &= ~CLONE_INTO_CGROUP;
		args.cgroup = 0;
		m->init = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	}
	if (m->init == 0)
		zone_init(&c);
	if (m->init > 0) {
		if (!(args.flags & CLONE_INTO_CGROUP))
			zone_cgroups_join(&m->groups, m->init);
		return 0;
	}
	m->init_fd = -1;
	if (errno == EPERM && geteuid() != 0)
		return err_msg(e, EPERM, "this host lets you create no user namespaces (sysctl kernel.unprivileged_userns_clone, "
					 "kernel.apparmor_restrict_unprivileged_userns, or a container's own filter)");
	if (errno == ENOSPC || errno == EUSERS)
		return err_msg(e, errno, "this host's limit of namespaces is reached (sysctl user.max_*_namespaces)");
	return err_set(e, errno, "new namespaces");
}

/* Everything that init can't do for itself: maps, control groups, idmapped copies of host mounts. */
static int setup_outside(struct monitor *m, struct err *e)
{
	struct init_msg msg = {.type = INIT_SETUP};
	_cleanup_close_ int userns = -1;
	int fd[ZONE_PLAN_SOURCES];
	char text[PATH_MAX + 200] = "", path[64];
	unsigned n = 0;
	int r = zone_idmap_write(&m->idmap, m->init, e);

	if (r < 0)
		return r;
	m->info.init = m->init;
	r = save_state(m, "starting", e);
	if (r < 0)
		return r;
	if (m->plan.outside) {
		if (m->idmap.mode == ZONE_ID_PRIVATE) {
			snprintf(path, sizeof(path), "/proc/%d/ns/user", m->init);
			userns = open(path, O_RDONLY | O_CLOEXEC);
			if (userns < 0)
				return err_set(e, errno, "%s", path);
		}
		r = zone_plan_open(&m->plan, userns, text, sizeof(text), e);
		if (r < 0)
			return r;
		note(m, text);
		for (; n < m->plan.nsources; n++)
			fd[n] = m->plan.source[n].fd;
	}
	r = sock_send(m->init_sock, &msg, sizeof(msg), fd, n);
	zone_plan_free(&m->plan); /* init has its own copy */
	return r < 0 ? err_set(e, -r, "start init") : 0;
}

static int start(struct monitor *m, struct err *e)
{
	int init[2] = {-1, -1}, first[2] = {-1, -1}, r;

	/* On disk before it exists: who finds us dead removes it. */
	zone_cgroups_plan(&m->groups, m->dir.name);
	r = save_state(m, "starting", e);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, init) < 0)
		r = err_set(e, errno, "socketpair");
	else
		r = start_socket(first, e);
	m->init_sock = init[0];
	m->start_sock = first[0];
	if (r == 0)
		r = clone_init(m, init[1], first[1], e);
	if (init[1] >= 0)
		close(init[1]);
	if (first[1] >= 0)
		close(first[1]);
	return r < 0 ? r : setup_outside(m, e);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void cleanup(struct monitor *m)
{
	if (m->init > 0) { /* the loop ended early */
		kill(m->init, SIGKILL);
		waitpid(m->init, NULL, 0);
	}
	terminal_finish(&m->term);
	monitor_tracer_stop(m);
	monitor_holder_stop(m);
	if (m->server)
		emul_server_free(m->server);
	emul_filter_free(&m->filter);
	zone_plan_free(&m->plan);
	if (m->dir.fd >= 0 && zone_cgroups_remove(&m->groups))
		zone_dir_remove(&m->dir);
	else
		zone_dir_close(&m->dir);
	for (unsigned i = 0; i < m->nclients; i++)
		close(m->client[i]); /* who waits for the zone's end learns of it when all is gone */
	close_fd(&m->listener);
}

static void report(const struct monitor *m, int status, const char *text)
{
	struct monitor_result r = {.status = status};

	if (m->conf->ready < 0)
		return;
	snprintf(r.text, sizeof(r.text), "%s", text);
	if (write(m->conf->ready, &r, sizeof(r)) < 0)
		status = 0; /* nobody is left to know */
	close(m->conf->ready);
	m->conf->ready = -1;
}

void monitor_running(struct monitor *m)
{
	struct err e;

	m->running = true;
	save_state(m, "running", &e);
	report(m, 0, m->dir.name);
}

static int finish_status(const struct monitor *m)
{
	if (m->failure.type == START_FAILED)
		return m->failure.status;
	if (!m->exited)
		return 128 + SIGKILL;
	return WIFSIGNALED(m->status) ? 128 + WTERMSIG(m->status) : WEXITSTATUS(m->status);
}

int monitor_run(struct monitor_conf *conf)
{
	struct monitor m = {
		.conf = conf, .notes_fd = -1, .init_fd = -1, .init_sock = -1, .start_sock = -1, .signals = -1, .listener = -1,
		.holder = -1, .tracer_ready = -1, .ns = {-1, -1, -1, -1, -1, -1, -1},
		.dir = {.base = -1, .fd = -1, .lock = -1},
	};
	struct err e = {0};
	int r, status;

	terminal_init(&m.term, conf->detached ? -1 : STDIN_FILENO, STDOUT_FILENO);
	describe(&m);
	r = make(&m, &e);
	if (r == 0)
		r = start(&m, &e);
	if (r == 0)
		r = monitor_loop(&m, &e);
	else if (monitor_last_words(&m)) /* why init has died is why we could not go on with it */
		r = 0;
	cleanup(&m);
	if (r == 0 && m.failure.type == START_FAILED)
		r = err_msg(&e, EINVAL, "%s", m.failure.text);
	else if (r == 0 && !m.exited)
		r = err_msg(&e, ESRCH, "zone %s: its init was killed", m.dir.name);
	status = r == 0 || m.failure.type == START_FAILED || m.running ? finish_status(&m) : START_FAULT;
	if (r < 0) {
		report(&m, status, e.msg);
		if (!conf->detached && e.msg[0])
			start_complain("zonectl", e.msg);
	}
	return status;
}
