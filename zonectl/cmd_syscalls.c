/* zonectl syscalls: prints the table of system calls, for people in columns, for programs as JSON. */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lx_syscall/decode.h"
#include "lx_syscall/lx.h"
#include "lx_syscall/world.h"
#include "zonectl/verbs.h"

static const char help[] =
	"usage: zonectl syscalls [--abi sys64|sys32] [--json] [NAME ...]\n\n"
	"Prints what Lxzone knows about each system call: its numbers, the kernel version it came with, how a zone\n"
	"serves it, its family and its arguments. NAME may be a pattern; with one, notes are shown too.\n\n"
	"  --abi sys64|sys32  only calls of x86_64, or of i386, with the arguments they have there\n"
	"  --json             an array of objects\n"
	"  -h, --help         this page\n\n"
	"HOW: pass: the kernel does it. emulate(ATTRIBUTE): the zone answers it if it has an ATTRIBUTE of its own.\n"
	"deny:ERROR: never done. Calls newer than a zone's kernel version are ENOSYS in that zone.\n"
	"SINCE: A/B: i386 got it in version B. A-R: version R removed it.\n";

struct show {
	int abi; /* enum lx_abi, -1: both */
	bool json, notes;
	char **names;
	int nnames;
	unsigned shown;
};

static bool is_wanted(struct show *s, const struct lx_row *r, bool *matched)
{
	bool any = !s->nnames;

	if (s->abi >= 0 && r->nr[s->abi] < 0)
		return false;
	for (int i = 0; i < s->nnames; i++) {
		if (!fnmatch(s->names[i], r->name, 0))
			any = matched[i] = true;
	}
	return any;
}

static void version_text(char *buf, size_t size, uint32_t v)
{
	if (v == LX_NEVER)
		snprintf(buf, size, "never");
	else if (v & 0xff)
		snprintf(buf, size, "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
	else
		snprintf(buf, size, "%u.%u", v >> 16, v >> 8 & 0xff);
}

static void since_text(char *buf, size_t size, const struct lx_row *r, int abi)
{
	char since[2][24], removed[24];
	int first = abi >= 0 ? abi : r->nr[0] >= 0 ? 0 : 1;

	version_text(since[0], sizeof(since[0]), r->since[first]);
	version_text(since[1], sizeof(since[1]), r->since[1]);
	version_text(removed, sizeof(removed), r->removed);
	if (abi >= 0 || r->nr[0] < 0 || r->nr[1] < 0 || r->since[0] == r->since[1])
		since[1][0] = 0;
	snprintf(buf, size, "%s%s%s%s%s", since[0], since[1][0] ? "/" : "", since[1], r->removed ? "-" : "",
		 r->removed ? removed : "");
}

static void how_text(char *buf, size_t size, unsigned row)
{
	const struct lx_row *r = &lx_rows[row];

	if (r->how == LX_DENY)
		snprintf(buf, size, "deny:%s", lx_errno_name(r->error));
	else if (r->how == LX_EMULATE)
		snprintf(buf, size, "emulate(%s)", lx_world_needed(row));
	else
		snprintf(buf, size, "pass");
}

static void print_args(const struct lx_row *r, int abi)
{
	for (unsigned n = 0; n < r->nargs[abi]; n++) {
		const struct lx_arg *a = &r->args[abi][n];
		size_t len = strlen(a->type);

		printf("%s%s%s%s", n ? ", " : "", a->type, len && a->type[len - 1] == '*' ? "" : " ", a->name);
	}
}

static void print_number(int nr)
{
	if (nr < 0)
		printf("%4s ", "-");
	else
		printf("%4d ", nr);
}

static void print_row(struct show *s, unsigned row)
{
	const struct lx_row *r = &lx_rows[row];
	char since[80], how[32];

	since_text(since, sizeof(since), r, s->abi);
	how_text(how, sizeof(how), row);
	if (!s->shown)
		printf("%s%-28s %-13s %-15s %-6s ARGUMENTS\n", s->abi < 0 ? " X64 I386 " : "  NR ", "NAME", "SINCE", "HOW",
		       "CLASS");
	if (s->abi != LX_SYS32)
		print_number(r->nr[0]);
	if (s->abi != LX_SYS64)
		print_number(r->nr[1]);
	printf("%-28s %-13s %-15s %-6s (", r->name, since, how, lx_class_name(r->cls));
	print_args(r, s->abi >= 0 ? s->abi : r->nr[0] >= 0 ? 0 : 1);
	printf(")\n");
	if (s->notes && r->note)
		printf("%s%s\n", s->abi < 0 ? "          " : "     ", r->note);
}

/* The table's own texts are plain ASCII; only what JSON must escape is. */
static void json_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

static void json_abi(const struct lx_row *r, int abi)
{
	static const char *const dirs[] = { "", "in", "out", "inout" };
	char text[16];

	printf(", \"%s\": ", lx_abi_name((enum lx_abi)abi));
	if (r->nr[abi] < 0) {
		printf("null");
		return;
	}
	version_text(text, sizeof(text), r->since[abi]);
	printf("{\"nr\": %d, \"since\": \"%s\", \"args\": [", r->nr[abi], text);
	for (unsigned n = 0; n < r->nargs[abi]; n++) {
		const struct lx_arg *a = &r->args[abi][n];

		printf("%s{\"name\": \"%s\", \"type\": \"%s\"", n ? ", " : "", a->name, a->type);
		if (a->dir)
			printf(", \"dir\": \"%s\"", dirs[a->dir & 3]);
		printf("}");
	}
	printf("]}");
}

static void json_row(struct show *s, unsigned row)
{
	const struct lx_row *r = &lx_rows[row];
	char text[16];

	printf("%s\n  {\"name\": \"%s\", \"how\": \"%s\", \"class\": \"%s\"", s->shown ? "," : "[", r->name,
	       lx_how_name(r->how), lx_class_name(r->cls));
	if (r->how == LX_EMULATE)
		printf(", \"needs\": \"%s\"", lx_world_needed(row));
	if (r->how == LX_DENY)
		printf(", \"error\": \"%s\"", lx_errno_name(r->error));
	if (r->removed) {
		version_text(text, sizeof(text), r->removed);
		printf(", \"removed\": \"%s\"", text);
	}
	if (r->note) {
		printf(", \"note\": ");
		json_string(r->note);
	}
	for (int abi = 0; abi < LX_NABI; abi++) {
		if (s->abi < 0 || s->abi == abi)
			json_abi(r, abi);
	}
	printf("}");
}

static int show_rows(struct show *s)
{
	bool *matched = calloc((size_t)s->nnames + 1, sizeof(*matched));
	int status = 0;

	if (!matched) {
		fprintf(stderr, "zonectl: out of memory\n");
		return 1;
	}
	for (unsigned row = 0; row < lx_nrows; row++) {
		if (!is_wanted(s, &lx_rows[row], matched))
			continue;
		if (s->json)
			json_row(s, row);
		else
			print_row(s, row);
		s->shown++;
	}
	if (s->json)
		printf("%s\n", s->shown ? "\n]" : "[]");
	for (int i = 0; i < s->nnames; i++) {
		if (matched[i])
			continue;
		fprintf(stderr, "zonectl: no system call of %s is called '%s'\n",
			s->abi < 0 ? "either ABI" : lx_abi_name((enum lx_abi)s->abi), s->names[i]);
		status = 1;
	}
	free(matched);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "zonectl: standard output: %s\n", strerror(errno));
		status = 1;
	}
	return status;
}

int cmd_syscalls(int argc, char **argv)
{
	static const struct option options[] = {
		{ "abi", required_argument, NULL, 'a' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct show s = { .abi = -1 };
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "h", options, NULL)) >= 0) {
		switch (c) {
		case 'a':
			if (!strcmp(optarg, "sys64") || !strcmp(optarg, "sys32")) {
				s.abi = strcmp(optarg, "sys64") ? LX_SYS32 : LX_SYS64;
				break;
			}
			fprintf(stderr, "zonectl: --abi is sys64 or sys32, not '%s'\n", optarg);
			return EXIT_USAGE;
		case 'j':
			s.json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs("'zonectl syscalls --help' shows how it is used\n", stderr);
			return EXIT_USAGE;
		}
	}
	s.names = argv + optind;
	s.nnames = argc - optind;
	s.notes = s.nnames > 0;
	return show_rows(&s);
}
