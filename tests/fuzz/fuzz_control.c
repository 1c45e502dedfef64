/* Any bytes on a zone's control socket, with any descriptors: the monitor answers, refuses or hangs up, and keeps no descriptor. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "zonectl/monitor_impl.h"
#include "zonectl/sock.h"

/* A monitor of a zone that is still starting, whose init and holder are sockets that nobody reads. */
static struct monitor *monitor(void)
{
	static struct monitor m;
	int pair[2], dead[2];

	if (m.init)
		return &m;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, dead) < 0)
		abort();
	close(dead[1]);
	m.init = 1;
	m.init_sock = pair[0];
	m.holder = dead[0];
	m.notes_fd = m.init_fd = m.start_sock = m.signals = m.listener = m.tracer_ready = -1;
	for (int i = 0; i < CTL_NNS; i++)
		m.ns[i] = -1;
	return &m;
}

/* The lowest free descriptor: what is leaked moves it. */
static int lowest(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct monitor *m = monitor();
	int pair[2], before = lowest(), extra[8];
	unsigned n;

	if (size < 2)
		return 0;
	n = data[0] & 7;
	for (unsigned i = 0; i < n; i++)
		extra[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		abort();
	if (data[0] & 8) { /* a message of the right size that begins well */
		struct ctl_msg q = {.magic = CTL_MAGIC, .type = data[1]};

		for (size_t i = 2; i < size && i - 2 < sizeof(q.u); i++)
			((uint8_t *)&q.u)[i - 2] = data[i];
		sock_send(pair[0], &q, sizeof(q), extra, n);
	} else {
		sock_send(pair[0], data + 1, size - 1, extra, n);
	}
	for (unsigned i = 0; i < n; i++)
		close(extra[i]);
	/* A listener would go to a server of emulation: that it is one is not checked here. */
	if (!((data[0] & 8) && data[1] == CTL_START && n))
		monitor_serve(m, pair[1]);
	close(pair[0]);
	close(pair[1]);
	if (lowest() != before)
		abort();
	return 0;
}
