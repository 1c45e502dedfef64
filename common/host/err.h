/* Errors towards the host: a fixed buffer on the caller's stack that collects a sentence on its way up.
 * Functions that can fail return int, 0 or -errno, and take `struct err *e` last; only the verbs print. */
#ifndef HOST_ERR_H
#define HOST_ERR_H

#define ERR_MAX 1024

struct err {
	int code;          /* errno value, 0 while nothing failed */
	char tag[24];      /* D_SYNTAX and the like for D compile errors, else "" */
	char msg[ERR_MAX]; /* one sentence without newline, always terminated */
};

/* Sets the message; appends ": strerror(errnum)" unless errnum is 0 (then the code is EINVAL).
 * Returns -code. `e` may be NULL. */
int err_set(struct err *e, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As err_set() but without the strerror() text: the message says all. Returns -errnum. */
int err_msg(struct err *e, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prefixes "text: " to the message. Returns -code. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
