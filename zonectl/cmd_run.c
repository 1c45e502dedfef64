/* zonectl run: the command line of a zone; the work is the monitor's. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zonectl/monitor.h"
#include "zonectl/start.h"
#include "zonectl/verbs.h"

static void help(FILE *out)
{
	fputs("usage: zonectl run [OPTIONS] [--] COMMAND [ARGUMENTS]\n\n"
	      "Starts a zone, runs COMMAND in it and ends the zone when COMMAND ends, with its exit status\n"
	      "(128 + N if signal N killed it; 125: no zone, 126: not executable, 127: not found).\n\n"
	      "  --root DIR             run on the files of DIR (default: the host's own, under private overlays)\n"
	      "  --set ATTRIBUTE=VALUE  what the zone's programs believe they run on, see below\n"
	      "  --name NAME            the zone's name (default: COMMAND-NUMBER)\n"
	      "  -e NAME[=VALUE]        set an environment variable; without VALUE: the caller's\n"
	      "  -v HOST[:GUEST][:rw]   show a file or directory of the host in the zone (default: read-only)\n"
	      "  -w DIR                 working directory (default: the caller's own; with --root: /)\n"
	      "  -u USER[:GROUP]        run as this user of the zone\n"
	      "  -t                     give COMMAND a terminal (default: if stdin and stdout are one)\n"
	      "  -d                     in the background: print the zone's name when COMMAND runs, and return\n"
	      "  -i                     with -d: keep standard input\n"
	      "  --dtrace TEXT          trace the zone from COMMAND's first instruction with this D program\n"
	      "  --dtrace-script FILE   the same, with a D script; both may be given several times\n"
	      "  -q, -o FILE            as in zonectl dtrace\n"
	      "  --dry-run              print the steps that would set the zone up, and do nothing\n"
	      "  --verbose              say more of what this host can not do\n\n"
	      "The environment of COMMAND is PATH, HOME, USER, TERM, LANG (the last two: the caller's) and what -e says.\n\n",
	      out);
	brand_help(out);
}

struct run_args {
	struct zone_config config;
	struct zone_strv dtrace;
	bool detach, interactive, terminal, dry_run, verbose, help;
};

enum { O_ROOT = 256, O_SET, O_NAME, O_DRY_RUN, O_DTRACE, O_DTRACE_SCRIPT, O_VERBOSE, O_HELP };

static const struct option longopts[] = {
	{"root", required_argument, NULL, O_ROOT},
	{"set", required_argument, NULL, O_SET},
	{"name", required_argument, NULL, O_NAME},
	{"env", required_argument, NULL, 'e'},
	{"volume", required_argument, NULL, 'v'},
	{"workdir", required_argument, NULL, 'w'},
	{"user", required_argument, NULL, 'u'},
	{"interactive", no_argument, NULL, 'i'},
	{"tty", no_argument, NULL, 't'},
	{"detach", no_argument, NULL, 'd'},
	{"dry-run", no_argument, NULL, O_DRY_RUN},
	{"dtrace", required_argument, NULL, O_DTRACE},
	{"dtrace-script", required_argument, NULL, O_DTRACE_SCRIPT},
	{"verbose", no_argument, NULL, O_VERBOSE},
	{"help", no_argument, NULL, O_HELP},
	{NULL, 0, NULL, 0},
};

static int replace(char **field, const char *text, struct err *e)
{
	free(*field);
	*field = strdup(text);
	return *field ? 0 : err_set(e, ENOMEM, "settings");
}

static int add_dtrace(struct run_args *a, const char *flag, const char *text, struct err *e)
{
	int r = zone_strv_add(&a->dtrace, flag, e);

	return r < 0 || !text ? r : zone_strv_add(&a->dtrace, text, e);
}

static int take(struct run_args *a, int opt, struct err *e)
{
	struct zone_config *c = &a->config;

	switch (opt) {
	case O_ROOT:
		return zone_config_root(c, optarg, e);
	case O_SET:
		return zone_config_set(c, optarg, e);
	case O_NAME:
		return zone_name_check(optarg, e) < 0 ? -EINVAL : replace(&c->name, optarg, e);
	case 'e':
		return zone_config_env(c, optarg, e);
	case 'v':
		return zone_config_volume(c, optarg, e);
	case 'w':
		if (optarg[0] != '/')
			return err_msg(e, EINVAL, "-w wants an absolute path, not '%s'", optarg);
		return replace(&c->cwd, optarg, e);
	case 'u':
		return replace(&c->user, optarg, e);
	case O_DTRACE:
		return add_dtrace(a, "-n", optarg, e);
	case O_DTRACE_SCRIPT:
		return add_dtrace(a, "-s", optarg, e);
	case 'o':
		return add_dtrace(a, "-o", optarg, e);
	case 'q':
		return add_dtrace(a, "-q", NULL, e);
	case 'i':
		a->interactive = true;
		return 0;
	case 't':
		a->terminal = true;
		return 0;
	case 'd':
		a->detach = true;
		return 0;
	case O_DRY_RUN:
		a->dry_run = true;
		return 0;
	case O_VERBOSE:
		a->verbose = true;
		return 0;
	default:
		a->help = true;
		return 0;
	}
}

static bool traces(const struct run_args *a)
{
	for (size_t i = 0; i < a->dtrace.n; i++)
		if (!strcmp(a->dtrace.v[i], "-n") || !strcmp(a->dtrace.v[i], "-s"))
			return true;
	return false;
}

/* 0, or the exit status. */
static int parse(struct run_args *a, int argc, char **argv)
{
	struct err e = {0};
	int opt;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "+e:v:w:u:itdqo:", longopts, NULL)) >= 0) {
		if (opt == '?')
			return EXIT_USAGE;
		if (take(a, opt, &e) < 0)
			goto bad;
		if (a->help)
			return 0;
	}
	for (int i = optind; i < argc; i++)
		if (zone_strv_add(&a->config.args, argv[i], &e) < 0)
			goto bad;
	if (!a->config.args.n)
		err_msg(&e, EINVAL, "no command; usage: zonectl run [OPTIONS] [--] COMMAND [ARGUMENTS]");
	else if (a->dtrace.n && !traces(a))
		err_msg(&e, EINVAL, "-q and -o are for --dtrace and --dtrace-script");
	else if (a->dtrace.n && a->detach)
		err_msg(&e, EINVAL, "-d and --dtrace do not go together: start with -d, then trace with 'zonectl dtrace -z NAME'");
	else
		return 0;
bad:
	fprintf(stderr, "zonectl run: %s\n", e.msg);
	return EXIT_USAGE;
}

static int dry_run(struct zone_config *c)
{
	char note[PATH_MAX + 200];
	struct brand_settings s;
	struct zone_idmap m;
	struct zone_plan p;
	struct err e = {0};

	if (brand_settings_make(c, &s, &e) < 0 || monitor_plan(c, &s, 0, &m, &p, note, sizeof(note), &e) < 0) {
		fprintf(stderr, "zonectl run: %s\n", e.msg);
		return START_FAULT;
	}
	printf("ids        %u:%u inside are %u:%u outside, %u of each\n", m.uid_inside, m.gid_inside, m.uid_outside, m.gid_outside, m.count);
	zone_plan_print(&p, stdout);
	zone_plan_free(&p);
	return 0;
}

/* The monitor goes on in the background; we return when its command runs, or with its failure. */
static int run_detached(struct monitor_conf *m)
{
	struct monitor_result r = {.status = START_FAULT, .text = "the monitor died"};
	int ready[2];
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		perror("zonectl run");
		return START_FAULT;
	}
	if (pid == 0) {
		setsid();
		if (chdir("/") < 0) /* our caller's file system shall not stay busy for our sake */
			_exit(START_FAULT);
		m->ready = ready[1];
		close(ready[0]);
		_exit(monitor_run(m));
	}
	close(ready[1]);
	if (read(ready[0], &r, sizeof(r)) < 0)
		perror("zonectl run");
	close(ready[0]);
	if (r.status == 0)
		printf("%s\n", r.text);
	else
		start_complain("zonectl", r.text);
	return r.status;
}

int cmd_run(int argc, char **argv)
{
	struct run_args a = {0};
	struct monitor_conf m = {.config = &a.config, .ready = -1};
	int status = parse(&a, argc, argv);

	start_standard_fds();
	if (status || a.help) {
		if (a.help)
			help(stdout);
		goto out;
	}
	m.title = program_invocation_name; /* argv[0] of main(): the area's first byte */
	m.title_size = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - m.title);
	a.config.host_cwd = getcwd(NULL, 0);
	if (a.config.host_cwd && access(a.config.host_cwd, X_OK) < 0) { /* as after su(1) in root's home: not ours to show */
		free(a.config.host_cwd);
		a.config.host_cwd = NULL;
	}
	a.config.terminal = a.terminal || (!a.detach && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
	m.detached = a.detach;
	m.interactive = a.interactive;
	m.verbose = a.verbose;
	m.dtrace = a.dtrace;
	if (a.dry_run)
		status = dry_run(&a.config);
	else
		status = a.detach ? run_detached(&m) : monitor_run(&m);
out:
	zone_config_free(&a.config);
	zone_strv_free(&a.dtrace);
	return status;
}
