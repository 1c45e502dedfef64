/* zonectl halt: SIGTERM to a zone's command, and after a while SIGKILL to all of the zone. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/host/cleanup.h"
#include "zonectl/control.h"
#include "zonectl/verbs.h"

#define GRACE_DEFAULT 10 /* seconds */

static int halt(const char *zone, unsigned grace, struct err *e)
{
	struct ctl_msg m = {.type = CTL_HALT, .u.halt.grace_ms = grace * 1000};
	_cleanup_close_ int sock = -1;
	struct zone_dir d;
	int r = zone_dir_open(&d, zone, e);

	if (r < 0)
		return r;
	sock = ctl_connect(&d, e);
	if (sock >= 0)
		r = ctl_call(sock, &m, NULL, 0, NULL, e);
	/* The connection ends when nothing of the zone is left. */
	while (sock >= 0 && r == 0 && ctl_recv(sock, &m, NULL, NULL) > 0)
		;
	zone_dir_close(&d);
	return sock < 0 ? sock : r;
}

int cmd_halt(int argc, char **argv)
{
	static const struct option longopts[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	unsigned long grace = GRACE_DEFAULT;
	struct err e = {0};
	int opt, status = 0;
	char *end;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "+t:", longopts, NULL)) >= 0) {
		switch (opt) {
		case 'h':
			puts("usage: zonectl halt [-t SECONDS] ZONE...\n\n"
			     "Sends SIGTERM to the zone's command, SIGKILL to the whole zone after SECONDS (default 10), and\n"
			     "returns when nothing of it is left.");
			return 0;
		case 't':
			grace = strtoul(optarg, &end, 10);
			if (!*optarg || *end || grace > 3600) {
				fprintf(stderr, "zonectl halt: -t wants seconds, at most 3600, not '%s'\n", optarg);
				return EXIT_USAGE;
			}
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind == argc) {
		fputs("zonectl halt: which zone? ('zonectl list' shows them)\n", stderr);
		return EXIT_USAGE;
	}
	for (; optind < argc; optind++)
		if (halt(argv[optind], (unsigned)grace, &e) < 0) {
			fprintf(stderr, "zonectl halt: %s\n", e.msg);
			status = 1;
		}
	return status;
}
