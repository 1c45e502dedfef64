/* The caller's terminal while a command has one of the zone's: raw mode, window size, and bytes both ways. */
#ifndef ZONECTL_TERMINAL_H
#define ZONECTL_TERMINAL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct terminal_flow {
	char buf[4096];
	size_t n;
	bool eof;
};

struct terminal {
	int in, out;  /* the caller's side; in is -1 when there is none */
	int master;   /* the zone's side, -1 until the command has sent it */
	struct terminal_flow to, from;
};

#define TERMINAL_POLLS 4

void terminal_init(struct terminal *t, int in, int out);
/* Takes the master: raw mode on the caller's terminal, window size. Restored at exit(3), too. */
void terminal_attach(struct terminal *t, int master);
void terminal_resize(const struct terminal *t);
/* Adds what is waited for; returns how many entries (at most TERMINAL_POLLS). */
unsigned terminal_poll(const struct terminal *t, struct pollfd *p);
void terminal_pump(struct terminal *t, const struct pollfd *p, unsigned n);
/* Writes out what is left after the command's end, restores the caller's terminal. */
void terminal_finish(struct terminal *t);
void terminal_suspend(const struct terminal *t);
void terminal_resume(const struct terminal *t);

#endif
