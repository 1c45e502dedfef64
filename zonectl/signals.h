/* Signals that a foreground command takes on behalf of a guest, through one descriptor. */
#ifndef ZONECTL_SIGNALS_H
#define ZONECTL_SIGNALS_H

#include <signal.h>

#include "common/host/err.h"

/* Blocks those that are passed on, SIGCHLD, SIGPIPE and the terminal's own; *old: the mask before, for the guest. Returns
 * a signalfd. */
int signals_take(sigset_t *old, struct err *e);

/* One signal (0: none is left). */
int signals_next(int fd);

#endif
