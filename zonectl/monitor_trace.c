/* `zonectl run --dtrace`: a `zonectl dtrace` of its own traces the zone; the command waits until its session runs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "zonectl/monitor_impl.h"

#define TRACER_PATIENCE_MS 30000 /* to print what it has counted */

int monitor_tracer_start(struct monitor *m, struct err *e)
{
	const struct zone_strv *given = &m->conf->dtrace;
	const char **argv = calloc(given->n + 8, sizeof(*argv));
	char number[16];
	unsigned n = 0;
	sigset_t none;
	int ready[2];

	if (!argv)
		return err_set(e, ENOMEM, "dtrace");
	if (pipe2(ready, O_CLOEXEC) < 0) {
		free(argv);
		return err_set(e, errno, "pipe");
	}
	snprintf(number, sizeof(number), "%d", ready[1]);
	argv[n++] = "zonectl";
	argv[n++] = "dtrace";
	argv[n++] = "-z";
	argv[n++] = m->dir.name;
	argv[n++] = "--ready-fd";
	argv[n++] = number;
	for (size_t i = 0; i < given->n; i++)
		argv[n++] = given->v[i];
	sigemptyset(&none);
	m->tracer = fork();
	if (m->tracer == 0) {
		/* Out of the terminal's reach: ^C is for the command, whose end ends the session. */
		setsid();
		sigprocmask(SIG_SETMASK, &none, NULL);
		/* A caller that ignores it (a shell's background job) must not make the session deaf to its end. */
		signal(SIGINT, SIG_DFL);
		fcntl(ready[1], F_SETFD, 0);
		execv("/proc/self/exe", (char *const *)argv);
		_exit(127);
	}
	free(argv);
	close(ready[1]);
	m->tracer_ready = ready[0];
	return m->tracer < 0 ? err_set(e, errno, "start dtrace") : 0;
}

void monitor_tracer_stop(struct monitor *m)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	if (m->tracer <= 0)
		return;
	kill(m->tracer, SIGINT);
	for (int i = 0; i < TRACER_PATIENCE_MS; i++) {
		if (waitpid(m->tracer, NULL, WNOHANG) != 0) {
			m->tracer = 0;
			return;
		}
		nanosleep(&ms, NULL);
	}
	kill(m->tracer, SIGKILL);
	waitpid(m->tracer, NULL, 0);
	m->tracer = 0;
}
