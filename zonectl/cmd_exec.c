/* zonectl exec: a further command in a running zone. We join the zone's namespaces ourselves, with the descriptors that its
 * monitor gives us, and start the command as the zone's init would; the monitor only serves what its filter traps. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "zonectl/control.h"
#include "zonectl/signals.h"
#include "zonectl/start.h"
#include "zonectl/terminal.h"
#include "zonectl/verbs.h"

struct exec {
	struct zone_config config; /* the zone's, with this command in it */
	struct zone_config given;  /* from the command line: env, cwd, user, args */
	const char *zone;
	bool terminal, help;

	struct zone_dir dir;
	struct zone_cgroups groups;
	struct brand_settings settings;
	struct zone_idmap idmap;
	struct emul_filter filter;
	bool trap;
	int monitor;              /* control socket */
	int ns[CTL_NNS];
	int sock;                 /* to the command while it starts */
	int signals;
	sigset_t mask;
	struct terminal term;
	pid_t joiner, command;    /* 0: not yet, or reaped */
	int status;               /* of the command */
	bool ended;
	struct start_msg failure;
};

/* ---- the command line ---- */

static void help(void)
{
	puts("usage: zonectl exec [OPTIONS] ZONE [--] COMMAND [ARGUMENTS]\n\n"
	     "Runs COMMAND in a running zone; its exit status is zonectl's (as with zonectl run).\n\n"
	     "  -e NAME[=VALUE]  set an environment variable, beside the zone's own\n"
	     "  -w DIR           working directory (default: the zone's)\n"
	     "  -u USER[:GROUP]  run as this user of the zone (default: the zone's)\n"
	     "  -t               give COMMAND a terminal (default: if stdin and stdout are one)");
}

static int take(struct exec *x, int opt, struct err *e)
{
	char **field = opt == 'w' ? &x->given.cwd : &x->given.user;

	switch (opt) {
	case 'e':
		return zone_config_env(&x->given, optarg, e);
	case 'w':
		if (optarg[0] != '/')
			return err_msg(e, EINVAL, "-w wants an absolute path, not '%s'", optarg);
		/* fallthrough */
	case 'u':
		free(*field);
		*field = strdup(optarg);
		return *field ? 0 : err_set(e, ENOMEM, "settings");
	case 't':
		x->terminal = true;
		return 0;
	default:
		x->help = true;
		return 0;
	}
}

static int parse(struct exec *x, int argc, char **argv)
{
	static const struct option longopts[] = {
		{"env", required_argument, NULL, 'e'},  {"workdir", required_argument, NULL, 'w'},
		{"user", required_argument, NULL, 'u'}, {"tty", no_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
	};
	struct err e = {0};
	int opt;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "+e:w:u:t", longopts, NULL)) >= 0) {
		if (opt == '?')
			return EXIT_USAGE;
		if (take(x, opt, &e) < 0) {
			fprintf(stderr, "zonectl exec: %s\n", e.msg);
			return EXIT_USAGE;
		}
		if (x->help)
			return 0;
	}
	x->zone = optind < argc ? argv[optind++] : NULL;
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	for (; optind < argc; optind++)
		zone_strv_add(&x->given.args, argv[optind], &e);
	if (x->zone && x->given.args.n)
		return 0;
	fputs("usage: zonectl exec [OPTIONS] ZONE [--] COMMAND [ARGUMENTS]\n", stderr);
	return EXIT_USAGE;
}

/* ---- joining ---- */

static char *steal_text(char **s)
{
	char *r = *s;

	*s = NULL;
	return r;
}

/* The zone's settings with our command: its environment and ours, its directory and user unless others were given. */
static int merge(struct exec *x, struct err *e)
{
	struct zone_config *c = &x->config, *g = &x->given;
	int r = zone_config_load(c, x->dir.fd, "config.json", e);

	for (size_t i = 0; r == 0 && i < g->env.n; i++)
		r = zone_strv_add(&c->env, g->env.v[i], e);
	if (r < 0)
		return r;
	zone_strv_free(&c->args);
	c->args = g->args;
	g->args = (struct zone_strv){0};
	if (g->cwd) {
		free(c->cwd);
		c->cwd = steal_text(&g->cwd);
	}
	if (g->user) {
		free(c->user);
		c->user = steal_text(&g->user);
	}
	c->terminal = x->terminal || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
	return 0;
}

static int connect_zone(struct exec *x, struct err *e)
{
	struct ctl_msg m = {.type = CTL_JOIN};
	struct zone_info info;
	unsigned n = CTL_NNS;
	int r = zone_dir_open(&x->dir, x->zone, e);

	if (r < 0)
		return r;
	r = x->monitor = ctl_connect(&x->dir, e);
	if (r >= 0)
		r = ctl_call(x->monitor, &m, x->ns, 0, &n, e);
	if (r == 0 && n != CTL_NNS)
		r = err_msg(e, EPROTO, "its monitor gives no namespaces");
	if (r < 0)
		return err_wrap(e, "zone %s", x->zone);
	x->idmap = (struct zone_idmap){.mode = m.u.join.mode, .uid_inside = m.u.join.uid_inside, .gid_inside = m.u.join.gid_inside,
				       .count = m.u.join.count};
	r = merge(x, e);
	if (r == 0)
		r = brand_settings_make(&x->config, &x->settings, e);
	if (r == 0)
		r = zone_state_load(x->dir.fd, &info, &x->groups, e);
	if (r < 0)
		return r;
	x->trap = m.u.join.trap && lx_world_emulates(&x->settings.world);
	return emul_filter_make(&x->settings.world, m.u.join.trap ? EMUL_TRAP_PTRACE : EMUL_TRAP_NOTIFY, &x->filter, e);
}

static _Noreturn void join_fail(const struct exec *x, const struct err *e)
{
	struct start_msg m = {.type = START_FAILED, .status = START_FAULT};

	snprintf(m.text, sizeof(m.text), "%s", e->msg);
	start_send(x->sock, &m, -1);
	_exit(START_FAULT);
}

/* In a child: into the namespaces, then a sibling of ours in the zone's pid namespace, whose parent is who waits for it. */
static _Noreturn void join(struct exec *x, int sock)
{
	struct zone_start s = {&x->config, &x->settings, &x->idmap, &x->filter, x->trap, sock, x->mask};
	struct err e = {0};
	pid_t pid;

	x->sock = sock;
	if (prctl(PR_SET_DUMPABLE, 0) < 0) {
		err_set(&e, errno, "prctl");
		join_fail(x, &e);
	}
	for (int i = 0; i < CTL_NNS; i++)
		if (setns(x->ns[i], 0) < 0) {
			err_set(&e, errno, "enter the zone's namespaces");
			join_fail(x, &e);
		}
	if (zone_idmap_enter(&x->idmap, &e) < 0 || zone_cpus_bind(&x->settings.world, &e) < 0)
		join_fail(x, &e);
	prctl(PR_SET_DUMPABLE, 0); /* becoming another user has reset it where the host says so */
	pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0UL);
	if (pid == 0)
		zone_start_child(&s);
	if (pid < 0) {
		err_set(&e, errno, "fork in the zone");
		join_fail(x, &e);
	}
	_exit(0);
}

static int start(struct exec *x, struct err *e)
{
	int sock[2], r = start_socket(sock, e);

	if (r < 0)
		return r;
	x->signals = signals_take(&x->mask, e);
	if (x->signals < 0)
		return x->signals;
	x->joiner = fork();
	if (x->joiner == 0)
		join(x, sock[1]);
	close(sock[1]);
	x->sock = sock[0];
	return x->joiner < 0 ? err_set(e, errno, "fork") : 0;
}

/* ---- until it ends ---- */

/* The command waits to exec: the zone's monitor serves its filter, and who traces the zone takes hold of it. */
static int ready(struct exec *x, int listener, struct err *e)
{
	struct ctl_msg m = {.type = CTL_START, .u.start.pid = x->command};
	struct start_msg go = {.type = START_GO};
	int r;

	zone_cgroups_join(&x->groups, x->command);
	r = ctl_call(x->monitor, &m, &listener, listener >= 0, NULL, e);
	if (r == 0)
		start_send(x->sock, &go, -1);
	return r;
}

static int on_start(struct exec *x, struct err *e)
{
	struct start_msg m;
	int fd, r = start_recv(x->sock, &m, &fd, &x->command);

	if (r <= 0) {
		close(x->sock);
		x->sock = -1;
		return 0;
	}
	r = 0;
	if (m.type == START_PTY && fd >= 0) {
		terminal_attach(&x->term, fd);
		fd = -1;
	} else if (m.type == START_READY) {
		r = ready(x, fd, e);
	} else if (m.type == START_FAILED) {
		x->failure = m;
	}
	if (fd >= 0)
		close(fd);
	return r;
}

static void on_child(struct exec *x)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == x->joiner) {
			x->joiner = 0;
			x->ended |= status != 0;
		} else {
			x->command = 0;
			x->status = status;
			x->ended = true;
		}
	}
}

static void pass(const struct exec *x, int sig)
{
	if (x->command > 0)
		kill(sig == SIGSTOP || sig == SIGCONT ? -x->command : x->command, sig);
}

static void on_signal(struct exec *x)
{
	int sig;

	while ((sig = signals_next(x->signals))) {
		switch (sig) {
		case SIGCHLD:
			on_child(x);
			break;
		case SIGTTIN:
		case SIGTTOU:
		case SIGPIPE:
		case SIGXFSZ: /* a file of ours: the write has failed with EFBIG */
			break;
		case SIGTSTP:
			pass(x, SIGSTOP);
			terminal_suspend(&x->term);
			kill(getpid(), SIGSTOP);
			break;
		case SIGWINCH:
			if (x->term.master >= 0) {
				terminal_resize(&x->term);
				break;
			}
			pass(x, sig);
			break;
		case SIGCONT:
			terminal_resume(&x->term);
			/* fallthrough */
		default:
			pass(x, sig);
		}
	}
}

static int loop(struct exec *x, struct err *e)
{
	int r = 0;

	while (r == 0 && !x->ended) {
		struct pollfd p[2 + TERMINAL_POLLS] = {{.fd = x->signals, .events = POLLIN}, {.fd = x->sock, .events = POLLIN}};
		unsigned n = terminal_poll(&x->term, p + 2);

		if (poll(p, 2 + n, -1) < 0 && errno != EINTR)
			return err_set(e, errno, "poll");
		terminal_pump(&x->term, p + 2, n);
		if (p[1].revents)
			r = on_start(x, e);
		if (p[0].revents)
			on_signal(x);
	}
	while (r == 0 && x->sock >= 0) /* what it said before its end */
		r = on_start(x, e);
	return r;
}

static int run(struct exec *x)
{
	struct err e = {0};
	int r = connect_zone(x, &e);

	if (r == 0)
		r = start(x, &e);
	if (r == 0)
		r = loop(x, &e);
	if (r < 0 && x->command > 0)
		kill(x->command, SIGKILL);
	terminal_finish(&x->term);
	if (r == 0 && x->failure.type == START_FAILED) {
		start_complain("zonectl", x->failure.text);
		return x->failure.status;
	}
	if (r < 0) {
		start_complain("zonectl exec", e.msg);
		return START_FAULT;
	}
	return WIFSIGNALED(x->status) ? 128 + WTERMSIG(x->status) : WEXITSTATUS(x->status);
}

int cmd_exec(int argc, char **argv)
{
	struct exec x = {.dir = {.base = -1, .fd = -1, .lock = -1}, .monitor = -1, .sock = -1, .signals = -1};
	int status = parse(&x, argc, argv);

	start_standard_fds();
	terminal_init(&x.term, STDIN_FILENO, STDOUT_FILENO);
	if (x.help)
		help();
	else if (!status)
		status = run(&x);
	zone_dir_close(&x.dir);
	emul_filter_free(&x.filter);
	zone_config_free(&x.config);
	zone_config_free(&x.given);
	return status;
}
