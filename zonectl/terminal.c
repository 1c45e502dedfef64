/* Between the caller's terminal and the zone's; see terminal.h. The caller's descriptors may be shared with others and are
 * never made non-blocking: a write goes out only when poll(2) says that a part of PIPE_BUF fits. */
#include "zonectl/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios saved;
static int saved_fd = -1;

static void restore(void)
{
	if (saved_fd >= 0)
		tcsetattr(saved_fd, TCSADRAIN, &saved);
	saved_fd = -1;
}

static void raw(int fd)
{
	static bool registered;
	struct termios t;

	if (fd < 0 || tcgetattr(fd, &t) < 0)
		return;
	saved = t;
	saved_fd = fd;
	if (!registered)
		registered = atexit(restore) == 0;
	cfmakeraw(&t);
	tcsetattr(fd, TCSADRAIN, &t);
}

void terminal_init(struct terminal *t, int in, int out)
{
	memset(t, 0, sizeof(*t));
	t->in = in;
	t->out = out;
	t->master = -1;
}

void terminal_attach(struct terminal *t, int master)
{
	if (t->master >= 0)
		close(t->master);
	t->master = master;
	fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK);
	terminal_resize(t);
	raw(t->in);
}

void terminal_resize(const struct terminal *t)
{
	struct winsize w;

	if (t->master < 0 || (ioctl(t->out, TIOCGWINSZ, &w) < 0 && (t->in < 0 || ioctl(t->in, TIOCGWINSZ, &w) < 0)))
		return;
	ioctl(t->master, TIOCSWINSZ, &w);
}

unsigned terminal_poll(const struct terminal *t, struct pollfd *p)
{
	unsigned n = 0;

	if (t->master < 0)
		return 0;
	if (t->in >= 0 && !t->to.eof && t->to.n == 0)
		p[n++] = (struct pollfd){.fd = t->in, .events = POLLIN};
	if (t->to.n)
		p[n++] = (struct pollfd){.fd = t->master, .events = POLLOUT};
	if (!t->from.eof && t->from.n == 0)
		p[n++] = (struct pollfd){.fd = t->master, .events = POLLIN};
	if (t->from.n)
		p[n++] = (struct pollfd){.fd = t->out, .events = POLLOUT};
	return n;
}

static void fill(struct terminal_flow *f, int fd)
{
	ssize_t n = read(fd, f->buf, sizeof(f->buf));

	if (n > 0)
		f->n = (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		f->eof = true; /* EIO: nobody has the other side open */
}

static void drain(struct terminal_flow *f, int fd)
{
	ssize_t n = write(fd, f->buf, f->n);

	if (n > 0) {
		memmove(f->buf, f->buf + n, f->n - (size_t)n);
		f->n -= (size_t)n;
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		f->n = 0;
	}
}

void terminal_pump(struct terminal *t, const struct pollfd *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (!p[i].revents)
			continue;
		if (p[i].fd == t->master && p[i].events == POLLIN) {
			fill(&t->from, t->master);
		} else if (p[i].fd == t->master) {
			drain(&t->to, t->master);
		} else if (p[i].events == POLLOUT) {
			drain(&t->from, t->out);
		} else {
			fill(&t->to, t->in);
			if (t->to.eof) { /* the end of a file or pipe is ^D to who reads a terminal */
				t->to.buf[0] = 4;
				t->to.n = 1;
			}
		}
	}
}

void terminal_finish(struct terminal *t)
{
	struct pollfd p = {.events = POLLOUT};

	if (t->master >= 0) {
		for (;;) {
			while (t->from.n && (p.fd = t->out, poll(&p, 1, 1000)) > 0)
				drain(&t->from, t->out);
			t->from.n = 0;
			fill(&t->from, t->master);
			if (t->from.n == 0)
				break;
		}
		close(t->master);
		t->master = -1;
	}
	restore();
}

void terminal_suspend(const struct terminal *t)
{
	if (t->master >= 0 && saved_fd >= 0)
		tcsetattr(saved_fd, TCSADRAIN, &saved);
}

void terminal_resume(const struct terminal *t)
{
	if (t->master >= 0)
		raw(t->in);
	terminal_resize(t);
}
