/* zonectl list: the running zones of this user. */
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zonectl/verbs.h"
#include "zonectl/zones.h"

static json_t *text(const char *s)
{
	json_t *j = json_string(s);

	return j ? j : json_string("?");
}

static void print_json(const struct zone_info *z, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:I, s:o, s:o}", "name", z[i].name, "status", z[i].status,
						      "monitor", (int)z[i].monitor, "init", (int)z[i].init, "started",
						      (json_int_t)z[i].started, "root", z[i].root[0] ? text(z[i].root) : json_null(),
						      "command", text(z[i].command)));
	json_dumpf(list, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(list);
}

/* A command line may hold anything; a terminal may not be told it. */
static void print_safe(const char *s)
{
	for (; *s; s++)
		putchar((unsigned char)*s < 32 || *s == 127 ? '?' : *s);
}

static void print_table(const struct zone_info *z, size_t n)
{
	int width = 4;

	for (size_t i = 0; i < n; i++)
		if ((int)strlen(z[i].name) > width)
			width = (int)strlen(z[i].name);
	printf("%-*s  %-8s  %8s  %s\n", width, "NAME", "STATUS", "INIT", "COMMAND");
	for (size_t i = 0; i < n; i++) {
		printf("%-*s  %-8s  %8d  ", width, z[i].name, z[i].status, z[i].init);
		print_safe(z[i].command);
		putchar('\n');
	}
}

int cmd_list(int argc, char **argv)
{
	static const struct option longopts[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	struct zone_info *z;
	struct err e = {0};
	bool json = false;
	size_t n;
	int opt;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "+", longopts, NULL)) >= 0) {
		if (opt == 'h') {
			puts("usage: zonectl list [--json]\n\nLists your running zones: name, status, host pid of their init, command.");
			return 0;
		}
		if (opt != 'j')
			return EXIT_USAGE;
		json = true;
	}
	if (optind < argc) {
		fprintf(stderr, "zonectl list: unexpected '%s'\n", argv[optind]);
		return EXIT_USAGE;
	}
	if (zone_list(&z, &n, &e) < 0) {
		fprintf(stderr, "zonectl list: %s\n", e.msg);
		return 1;
	}
	if (json)
		print_json(z, n);
	else
		print_table(z, n);
	free(z);
	return 0;
}
