/* zonectl dtrace: dtrace(1)'s command line. Parses it in one pass, compiles each -n, -s and the like in turn into one
 * program, then lists probes, or traces. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "zonectl/dtrace_impl.h"
#include "zonectl/verbs.h"

struct dtrace {
	enum dtrace_mode mode;
	bool compile_only, verbose, disasm, zdefs, usage;
	const char *ofile;
	int ready_fd;
	struct dtrace_cmd *cmd;
	unsigned ncmd;
	char **arg; /* macro arguments: $0 $1 ... */
	int narg;
	struct dtrace_targets targets;
	struct dt_opts opts;
	struct dt_probes *probes;
	struct dt_prog *prog;
	FILE *out;
};

__attribute__((format(printf, 1, 2))) static int fatal(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "dtrace: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_FAILURE;
}

void dtrace_usage(FILE *out)
{
	fputs("usage: zonectl dtrace [-z ZONE | -p PID | -c 'CMD ARGS'] [OPTIONS] [-n PROBE | -s SCRIPT] [SCRIPT ARGUMENTS]\n\n"
	      "Shows what zones and processes do, by a program in D. Ends with what it traces, by exit(), or on Ctrl-C.\n\n"
	      "what to trace (without any of these: all your running zones; each may be given several times):\n"
	      "  -z ZONE              all processes of a zone\n"
	      "  -p PID               one process, in a zone or not\n"
	      "  -c 'CMD ARGS'        a command, from its first instruction; with -z, in that zone\n\n"
	      "the program (each may be given several times):\n"
	      "  -n [[[PROVIDER:]MODULE:]FUNCTION:]NAME [/PREDICATE/] [{ ACTIONS }]\n"
	      "  -f, -m, -P           the same, the last part being the function, the module, the provider\n"
	      "  -i NUMBER            the same, by the probe's number in -l\n"
	      "  -s FILE              a script; what follows the options is its $1, $2, ...\n"
	      "  -Z                   probes that do not exist are no error\n"
	      "  -w                   allow actions that change what is traced\n"
	      "  -C                   run the C preprocessor over scripts; for it: -D NAME[=VALUE], -U NAME, -I DIR,\n"
	      "                       -H (name the files included)\n\n"
	      "output:\n"
	      "  -q                   only what the program prints: no headers and counts of probes\n"
	      "  -o FILE              append it to FILE\n"
	      "  -F                   indent by calls and returns\n"
	      "  -b SIZE              the buffer for records, such as 4m\n"
	      "  -x NAME[=VALUE]      set an option; zonectl-dtrace(1) has the list\n\n"
	      "instead of tracing:\n"
	      "  -l                   list probes: all, or those that -n and the like name; -lv: with their arguments\n"
	      "  -e                   only compile; -S: show the compiled program\n"
	      "  -V, -h               the version of D; this page\n\n"
	      "-32, -64, -L DIR and -X a|c|s|t are accepted and change nothing.\n\n"
	      "  zonectl dtrace -l -n 'lx-syscall::open*:entry'\n"
	      "  zonectl dtrace -c date -n 'lx-syscall:::entry { @[probefunc] = count(); }'\n",
	      out);
}

/* ---- The command line ---- */

static int set_option(struct dtrace *d, const char *how, const char *shown, const char *name, const char *value)
{
	struct err e;

	if (dt_opt_set(&d->opts, name, value, &e) == 0)
		return 0;
	return fatal("failed to set %s%s%s: %s", how, *shown ? " " : "", shown, e.msg);
}

static int add_word(char ***v, unsigned *n, char *s)
{
	char **all = reallocarray(*v, *n + 1, sizeof(char *));

	if (!all)
		return fatal("%s", strerror(ENOMEM));
	*v = all;
	all[(*n)++] = s;
	return 0;
}

static int add_cmd(struct dtrace *d, enum cmd_spec spec, char *arg)
{
	struct dtrace_cmd *all = reallocarray(d->cmd, d->ncmd + 1, sizeof(*all));

	if (!all)
		return fatal("%s", strerror(ENOMEM));
	d->cmd = all;
	all[d->ncmd++] = (struct dtrace_cmd){ .spec = spec, .arg = arg };
	return 0;
}

static int add_target_pid(struct dtrace *d, const char *arg)
{
	pid_t *all;
	char *end;
	long pid;

	errno = 0;
	pid = strtol(arg, &end, 10);
	if (errno || end == arg || *end || pid <= 0 || pid > INT32_MAX)
		return fatal("invalid pid: %s", arg);
	all = reallocarray(d->targets.pid, d->targets.npid + 1, sizeof(*all));
	if (!all)
		return fatal("%s", strerror(ENOMEM));
	d->targets.pid = all;
	all[d->targets.npid++] = (pid_t)pid;
	return 0;
}

static int set_mode(struct dtrace *d, enum dtrace_mode mode)
{
	if (d->mode != MODE_EXEC && d->mode != mode) {
		fprintf(stderr, "dtrace: only one of the [-hlV] options can be specified at a time\n");
		return EXIT_USAGE;
	}
	d->mode = mode;
	return 0;
}

static int set_x(struct dtrace *d, char *arg)
{
	char *value = strchr(arg, '=');

	if (value)
		*value++ = '\0';
	return set_option(d, "-x", arg, arg, value);
}

enum { OPT_HELP = 256, OPT_READY_FD };

/* One option; the exit status if it ends us, 0 to go on. */
static int parse_option(struct dtrace *d, int c, char *arg)
{
	switch (c) {
	case 'b': return set_option(d, "-b", arg, "bufsize", arg);
	case 'c': return add_word(&d->targets.command, &d->targets.ncommand, arg);
	case 'C': return set_option(d, "-C", "", "cpp", NULL);
	case 'D': return set_option(d, "-D", arg, "define", arg);
	case 'e': d->compile_only = true; return 0;
	case 'f': return add_cmd(d, SPEC_FUNC, arg);
	case 'F': return set_option(d, "-F", "", "flowindent", NULL);
	case 'H': return set_option(d, "-H", "", "cpphdrs", NULL);
	case 'i': return add_cmd(d, SPEC_ID, arg);
	case 'I': return set_option(d, "-I", arg, "incdir", arg);
	case 'l': return set_mode(d, MODE_LIST);
	case 'L': return set_option(d, "-L", arg, "libdir", arg);
	case 'm': return add_cmd(d, SPEC_MOD, arg);
	case 'n': return add_cmd(d, SPEC_NAME, arg);
	case 'o': d->ofile = arg; return 0;
	case 'p': return add_target_pid(d, arg);
	case 'P': return add_cmd(d, SPEC_PROV, arg);
	case 'q': return set_option(d, "-q", "", "quiet", NULL);
	case 's': return add_cmd(d, SPEC_FILE, arg);
	case 'S': d->disasm = true; return 0;
	case 'U': return set_option(d, "-U", arg, "undef", arg);
	case 'v': d->verbose = true; return 0;
	case 'V': return set_mode(d, MODE_VERSION);
	case 'w': return set_option(d, "-w", "", "destructive", NULL);
	case 'x': return set_x(d, arg);
	case 'X': return set_option(d, "-X", arg, "stdc", arg);
	case 'z': return add_word(&d->targets.zone, &d->targets.nzone, arg);
	case 'Z': return set_option(d, "-Z", "", "zdefs", NULL);
	case '3':
	case '6':
		if (!strcmp(arg, c == '3' ? "2" : "4"))
			return 0;
		fprintf(stderr, "dtrace: illegal option -- %c%s\n", c, arg);
		break;
	case 'h':
	case OPT_HELP:
		return set_mode(d, MODE_HELP);
	case OPT_READY_FD:
		d->ready_fd = atoi(arg);
		return 0;
	default:
		break;
	}
	dtrace_usage(stderr);
	return EXIT_USAGE;
}

static int parse_args(struct dtrace *d, int argc, char **argv)
{
	static const char optstring[] = "+3:6:b:c:CD:ef:FhHi:I:lL:m:n:o:p:P:qs:SU:vVwx:X:z:Z";
	static const struct option longs[] = {
		{ "help", no_argument, NULL, OPT_HELP }, { "ready-fd", required_argument, NULL, OPT_READY_FD }, { NULL, 0, NULL, 0 },
	};
	int c, r = 0;

	d->arg[d->narg++] = argv[0];
	argv[0] = (char *)"dtrace"; /* what getopt's own messages say */
	for (optind = 1; r == 0 && optind < argc; optind++) {
		while (r == 0 && (c = getopt_long(argc, argv, optstring, longs, NULL)) != -1)
			r = parse_option(d, c, optarg);
		if (optind < argc)
			d->arg[d->narg++] = argv[optind];
	}
	return r;
}

/* ---- Compiling ---- */

static bool is_script(const struct dtrace_cmd *cmd)
{
	return cmd->spec == SPEC_FILE;
}

static int compile_failed(const struct dtrace *d, const struct dtrace_cmd *cmd, const struct err *e)
{
	const char *tag = d->opts.val[DT_OPT_ERRTAGS] && *e->tag ? e->tag : NULL, *msg = e->msg;
	static const char first[] = "line 1: ";

	if (!is_script(cmd) && !strncmp(msg, first, strlen(first)))
		msg += strlen(first); /* all of it is on the command line */
	return fatal("%s %s: %s%s%s%s", is_script(cmd) ? "failed to compile script" : "invalid probe specifier", cmd->arg,
		     tag ? "[" : "", tag ? tag : "", tag ? "] " : "", msg);
}

static int compile_one(struct dtrace *d, struct dtrace_cmd *cmd)
{
	_cleanup_free_ char *text = NULL;
	struct dt_source src = { .argc = d->narg, .argv = d->arg, .target = d->targets.target };
	struct err e = { 0 };
	char *arg0 = d->arg[0];
	int r;

	src.zdefs = d->mode == MODE_LIST || d->opts.val[DT_OPT_ZDEFS];
	if (is_script(cmd)) {
		if (dtrace_source_read(cmd->arg, &d->opts, &text, &e) < 0)
			return fatal("%s", e.msg);
		d->arg[0] = cmd->arg;
		src.file = cmd->arg;
		src.text = text;
	} else {
		static const uint8_t spec[] = { [SPEC_NAME] = 0, [SPEC_FUNC] = 1, [SPEC_MOD] = 2, [SPEC_PROV] = 3, [SPEC_ID] = 0 };

		src.text = cmd->arg;
		src.pspec = true;
		src.spec = spec[cmd->spec];
	}
	r = dt_compile(d->prog, &src, &cmd->matched, &e);
	d->arg[0] = arg0;
	return r < 0 ? compile_failed(d, cmd, &e) : 0;
}

static int compile_all(struct dtrace *d)
{
	int r = 0;

	d->prog = dt_prog_new(d->probes, &d->opts);
	if (!d->prog)
		return fatal("%s", strerror(ENOMEM));
	for (unsigned i = 0; r == 0 && i < d->ncmd; i++)
		r = compile_one(d, &d->cmd[i]);
	return r;
}

/* ---- -l ---- */

static int list_probe(const struct dt_probe *p, void *arg)
{
	struct dtrace *d = arg;

	fprintf(d->out, "%5u %10s %17s %33s %s\n", p->id, p->prov, p->mod, p->func, p->name);
	if (d->verbose)
		dt_print_probe_info(d->out, p);
	return 0;
}

/* The description of -P, -m, -f, -n and -i as they stand: a lone word names another part with each of them. */
static int list_desc(struct dtrace *d, const struct dtrace_cmd *cmd)
{
	struct dt_pdesc p;
	struct err e = { 0 };
	int n = dt_pdesc_parse(cmd->arg, &p, &e);

	for (int shift = (int)cmd->spec; n == 0 && cmd->spec != SPEC_ID && shift > 0; shift--) {
		if (*p.prov)
			n = err_msg(&e, EINVAL, "overspecified probe description: %s", cmd->arg);
		snprintf(p.prov, sizeof(p.prov), "%.*s", (int)sizeof(p.prov) - 1, p.mod);
		memcpy(p.mod, p.func, sizeof(p.mod));
		memcpy(p.func, p.name, sizeof(p.func));
		p.name[0] = '\0';
	}
	if (n == 0)
		n = dt_probes_match(d->probes, &p, list_probe, d, &e);
	if (n < 0)
		return compile_failed(d, cmd, &e);
	if (n == 0)
		fprintf(stderr, "dtrace: failed to match %s:%s:%s:%s: No probe matches description\n", p.prov, p.mod, p.func, p.name);
	return 0;
}

static int list_program(struct dtrace *d)
{
	struct err e = { 0 };

	return dt_list_program(d->prog, d->probes, list_probe, d, &e) < 0 ? fatal("%s", e.msg) : 0;
}

static int do_list(struct dtrace *d)
{
	bool program = false;
	int r = 0;

	fprintf(d->out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (!d->ncmd) {
		struct dt_pdesc all = { 0 };

		dt_probes_match(d->probes, &all, list_probe, d, NULL);
		return 0;
	}
	for (unsigned i = 0; r == 0 && i < d->ncmd; i++) {
		if (is_script(&d->cmd[i]) || strpbrk(d->cmd[i].arg, "/{;,"))
			program = true;
		else
			r = list_desc(d, &d->cmd[i]);
	}
	return r == 0 && program ? list_program(d) : r;
}

/* ---- Tracing ---- */

static void print_stability(struct dtrace *d, const struct dtrace_cmd *cmd)
{
	static const char attributes[] = "\t\tIdentifier Names: Evolving\n\t\tData Semantics:   Evolving\n\t\tDependency Class: Common\n";

	fprintf(d->out, "\nStability attributes for %s %s:\n", is_script(cmd) ? "script" : "description", cmd->arg);
	fprintf(d->out, "\n\tMinimum Probe Description Attributes\n%s", attributes);
	fprintf(d->out, "\n\tMinimum Statement Attributes\n%s\n", attributes);
}

/* Says what each source matched; how many probes in all. */
static unsigned report_matched(struct dtrace *d)
{
	unsigned total = 0;

	for (unsigned i = 0; i < d->ncmd; i++) {
		struct dtrace_cmd *cmd = &d->cmd[i];
		unsigned n = cmd->matched.probes;

		if (!is_script(cmd))
			cmd->arg[strcspn(cmd->arg, "{/;")] = '\0'; /* the description alone names it from here on */
		if (!d->compile_only && !d->opts.val[DT_OPT_QUIET])
			fprintf(stderr, "dtrace: %s '%s' matched %u probe%s\n", is_script(cmd) ? "script" : "description", cmd->arg, n,
				n == 1 ? "" : "s");
		if (d->verbose)
			print_stability(d, cmd);
		total += n;
	}
	return total;
}

static void tell_ready(struct dtrace *d)
{
	if (d->ready_fd < 0)
		return;
	if (write(d->ready_fd, "", 1) < 0)
		fprintf(stderr, "dtrace: --ready-fd %d: %s\n", d->ready_fd, strerror(errno));
	close(d->ready_fd);
}

static int do_trace(struct dtrace *d)
{
	struct err e = { 0 };
	struct dt_consumer *c = dt_consumer_new(d->prog, &d->opts, d->out, &e);
	int r, status = 0;

	if (!c)
		return fatal("could not enable tracing: %s", e.msg);
	if (dt_prog_destructive(d->prog) && !d->opts.val[DT_OPT_DESTRUCTIVE]) {
		dt_consumer_free(c);
		return fatal("could not enable tracing: Destructive actions not allowed");
	}
	if (d->ready_fd >= 0)
		dt_consumer_supervised(c);
	r = dtrace_targets_open(&d->targets, c, &e);
	if (r == 0)
		r = dt_consumer_go(c, &e);
	if (r < 0) {
		status = fatal("could not enable tracing: %s", e.msg);
		dt_consumer_free(c);
		return status;
	}
	dt_consumer_catch_signals(); /* until here a signal just ends us, and all is let go */
	if (d->opts.val[DT_OPT_DESTRUCTIVE] && !d->opts.val[DT_OPT_QUIET])
		fprintf(stderr, "dtrace: allowing destructive actions\n");
	r = dtrace_targets_release(&d->targets, c, &e);
	tell_ready(d);
	if (r == 0)
		r = dt_consumer_run(c, &status, &e);
	if (r < 0 && r != -EINTR)
		status = fatal("processing aborted: %s", e.msg);
	dt_consumer_free(c);
	return status;
}

static int open_output(struct dtrace *d)
{
	d->out = stdout;
	if (d->ofile && !(d->out = fopen(d->ofile, "ae")))
		return fatal("failed to open output file '%s': %s", d->ofile, strerror(errno));
	return 0;
}

static int do_program(struct dtrace *d)
{
	struct err e = { 0 };
	int r;

	if (!d->compile_only && d->mode == MODE_EXEC && dtrace_targets_prepare(&d->targets, &e) < 0)
		return fatal("%s", e.msg);
	if (d->opts.set[DT_OPT_RECORD])
		return fatal("failed to set -x record: this version writes no event records");
	r = compile_all(d);
	if (r == 0)
		r = open_output(d);
	if (r)
		return r;
	if (d->disasm || d->opts.val[DT_OPT_VERBOSE])
		dt_print_program(stderr, d->prog, &e);
	if (d->mode == MODE_LIST)
		return do_list(d);
	r = (int)report_matched(d);
	if (d->compile_only)
		return 0;
	if (r == 0 && !d->opts.val[DT_OPT_ZDEFS])
		return fatal("no probes %s", d->ncmd ? "matched" : "specified");
	return do_trace(d);
}

static int run(struct dtrace *d, int argc, char **argv)
{
	struct err e = { 0 };
	int r;

	if (dt_opts_from_env(&d->opts, &e) < 0)
		return fatal("%s", e.msg);
	r = parse_args(d, argc, argv);
	if (r)
		return r;
	if (getenv("_DTRACE_TESTING"))
		dt_opt_set(&d->opts, "quietresize", NULL, NULL);
	switch (d->mode) {
	case MODE_HELP:
		dtrace_usage(stdout);
		return 0;
	case MODE_VERSION:
		puts("dtrace: Lxzone D 2.0");
		return 0;
	case MODE_LIST:
	case MODE_EXEC:
		break;
	}
	return do_program(d);
}

int cmd_dtrace(int argc, char **argv)
{
	struct dtrace d = { .ready_fd = -1, .targets = { .gate = { -1, -1 }, .target = -1 } };
	int status;

	if (argc < 2) {
		dtrace_usage(stderr);
		return EXIT_USAGE;
	}
	signal(SIGXFSZ, SIG_IGN); /* a write that fails says why */
	dt_opts_init(&d.opts);
	d.probes = dt_probes_new();
	d.arg = calloc((size_t)argc + 1, sizeof(char *));
	status = d.probes && d.arg ? run(&d, argc, argv) : fatal("%s", strerror(ENOMEM));
	if (d.out && d.out != stdout && fclose(d.out) == EOF && !status)
		status = fatal("failed to write to %s: %s", d.ofile, strerror(errno));
	dtrace_targets_free(&d.targets);
	if (d.prog)
		dt_prog_free(d.prog);
	dt_probes_free(d.probes);
	dt_opts_free(&d.opts);
	free(d.cmd);
	free(d.arg);
	return status;
}
