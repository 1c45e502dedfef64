/* The verbs of zonectl, one file each (cmd_<verb>.c). argv[0] is the verb's name; the result is the exit status.
 * Every verb answers --help on stdout with status 0: its first line is "usage: zonectl VERB ...". Only verbs print. */
#ifndef ZONECTL_VERBS_H
#define ZONECTL_VERBS_H

#define EXIT_USAGE 2 /* the command line is wrong */

int cmd_run(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_halt(int argc, char **argv);
int cmd_dtrace(int argc, char **argv);
int cmd_syscalls(int argc, char **argv);
int cmd_holder(int argc, char **argv); /* internal: serves tracing sessions, started by monitors and by cmd_dtrace */

#endif
