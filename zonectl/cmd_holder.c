/* `zonectl holder`, internal: a tracer. Without arguments this user's one of plain processes, started by a consumer
 * (holder_client.c) with the listening socket as descriptor 3; it ends soon after its last consumer. With --zone that of a
 * zone, started by its monitor (monitor_holder.c); it ends when its control socket closes. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emul/emul.h"
#include "emul/session.h"
#include "zonectl/verbs.h"

#define LISTENER_FD 3

static int usage(void)
{
	fputs("zonectl holder: is started by zonectl dtrace, not by hand\n", stderr);
	return EXIT_USAGE;
}

/* The zone's side; descriptors are numbers that the monitor left open for us. */
static int holder_zone(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "zone", required_argument, NULL, 'z' }, { "init", required_argument, NULL, 'i' },
		{ "pidns", required_argument, NULL, 'p' }, { "control", required_argument, NULL, 'c' },
		{ "world", required_argument, NULL, 'w' }, { "notes", required_argument, NULL, 'n' },
		{ "trap", no_argument, NULL, 't' }, { NULL, 0, NULL, 0 },
	};
	struct holder_conf c = { .control = -1, .listener = -1 };
	int world = -1, notes = -1, opt;
	void *p;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "", longopts, NULL)) >= 0) {
		switch (opt) {
		case 'z': c.zone = optarg; break;
		case 'i': c.zone_init = atoi(optarg); break;
		case 'p': c.zone_pidns = strtoull(optarg, NULL, 10); break;
		case 'c': c.control = atoi(optarg); break;
		case 'w': world = atoi(optarg); break;
		case 'n': notes = atoi(optarg); break;
		case 't': c.trap = true; break;
		default: return usage();
		}
	}
	if (!c.zone || c.control < 0 || world < 0)
		return usage();
	p = mmap(NULL, sizeof(*c.world), PROT_READ, MAP_SHARED, world, 0);
	if (p == MAP_FAILED)
		return usage();
	c.world = p;
	if (notes >= 0) {
		p = mmap(NULL, sizeof(*c.notes), PROT_READ | PROT_WRITE, MAP_SHARED, notes, 0);
		if (p == MAP_FAILED)
			return usage();
		c.notes = p;
		close(notes);
	}
	close(world);
	return holder_run(&c);
}

int cmd_holder(int argc, char **argv)
{
	struct holder_conf c = { .control = -1, .listener = LISTENER_FD };
	socklen_t len = sizeof(int);
	int listens = 0;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		puts("usage: zonectl holder\n\nInternal: serves tracing sessions; zonectl dtrace starts it.");
		return 0;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (argc > 1)
		return holder_zone(argc, argv);
	if (getsockopt(LISTENER_FD, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 || !listens)
		return usage();
	return holder_run(&c);
}
