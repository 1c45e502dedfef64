/* `zonectl holder`, internal: this user's tracer of plain processes. Started by a consumer (holder_client.c) with the
 * listening socket as descriptor 3; ends soon after its last consumer. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "emul/session.h"
#include "zonectl/verbs.h"

#define LISTENER_FD 3

int cmd_holder(int argc, char **argv)
{
	struct holder_conf c = { .control = -1, .listener = LISTENER_FD };
	socklen_t len = sizeof(int);
	int listens = 0;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		puts("usage: zonectl holder\n\nInternal: serves tracing sessions; zonectl dtrace starts it.");
		return 0;
	}
	if (argc > 1 || getsockopt(LISTENER_FD, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 || !listens) {
		fputs("zonectl holder: is started by zonectl dtrace, not by hand\n", stderr);
		return EXIT_USAGE;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	return holder_run(&c);
}
