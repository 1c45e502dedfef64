/* zonectl's entry: finds the verb and hands over. What is true of all verbs is here and nothing else: the help page,
 * --version, the error for an unknown verb, and being called as `dtrace`. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zonectl/verbs.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help; /* one line; NULL: internal, not shown */
};

static int cmd_help(int argc, char **argv);

/* In the order of the help page. */
static const struct verb verbs[] = {
	{"run", cmd_run, "start a zone and run a command in it"},
	{"exec", cmd_exec, "run a command in a running zone"},
	{"list", cmd_list, "list the running zones"},
	{"halt", cmd_halt, "stop a zone and everything in it"},
	{"dtrace", cmd_dtrace, "trace zones and processes with D"},
	{"syscalls", cmd_syscalls, "show the table of system calls"},
	{"help", cmd_help, "show this page, or how VERB is used"},
	{"holder", cmd_holder, NULL},
};

#define NVERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < NVERBS; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static int verb_unknown(const char *name)
{
	fprintf(stderr, "zonectl: unknown verb '%s'; 'zonectl help' lists them\n", name);
	return EXIT_USAGE;
}

static void usage(FILE *out)
{
	fputs("usage: zonectl VERB [ARGUMENTS]\n\n"
	      "Runs Linux programs in zones and shows what they do.\n\n",
	      out);
	for (size_t i = 0; i < NVERBS; i++)
		if (verbs[i].help)
			fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].help);
	fputs("\n'zonectl help VERB' shows a verb's options; 'zonectl --version' the version.\n", out);
}

static int cmd_help(int argc, char **argv)
{
	const struct verb *v;
	char *args[3];

	if (argc < 2 || !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	v = verb_find(argv[1]);
	if (!v)
		return verb_unknown(argv[1]);
	args[0] = argv[1];
	args[1] = (char *)"--help";
	args[2] = NULL;
	return v->run(2, args);
}

/* What a program printed is part of its result: a full disk or a closed pipe must not look like success. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		if (!status) {
			perror("zonectl: standard output");
			status = 1;
		}
	}
	return status;
}

/* Descriptors 0 to 2 that our caller has closed would be taken by the next files and sockets that we open, and what is
 * printed, or what guests write, would go there. They are taken by what fails as a closed one does. */
static void stdio_reserve(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			_exit(1);
}

int main(int argc, char **argv)
{
	const char *self = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const struct verb *v;

	stdio_reserve();
	if (argc > 0)
		self = self ? self + 1 : argv[0];
	v = self && !strcmp(self, "dtrace") ? verb_find(self) : NULL;
	if (v)
		return finish(v->run(argc, argv));
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return finish(0);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("zonectl " LXZONE_VERSION);
		return finish(0);
	}
	v = verb_find(argv[1]);
	if (!v)
		return verb_unknown(argv[1]);
	return finish(v->run(argc - 1, argv + 1));
}
