/* The error object of err.h: formatting only, no allocation, safe after a failed malloc. */
#include "common/host/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void err_format(struct err *e, const char *fmt, va_list ap)
{
	int n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);

	if (n < 0)
		e->msg[0] = '\0';
	e->tag[0] = '\0';
}

int err_set(struct err *e, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (!e)
		return errnum ? -errnum : -EINVAL;
	va_start(ap, fmt);
	err_format(e, fmt, ap);
	va_end(ap);
	e->code = errnum ? errnum : EINVAL;
	if (errnum) {
		n = strlen(e->msg);
		snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", strerror(errnum));
	}
	return -e->code;
}

int err_msg(struct err *e, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return errnum ? -errnum : -EINVAL;
	va_start(ap, fmt);
	err_format(e, fmt, ap);
	va_end(ap);
	e->code = errnum ? errnum : EINVAL;
	return -e->code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char rest[ERR_MAX];
	va_list ap;
	size_t n;

	if (!e)
		return -EINVAL;
	memcpy(rest, e->msg, sizeof(rest));
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", rest);
	return -e->code;
}
