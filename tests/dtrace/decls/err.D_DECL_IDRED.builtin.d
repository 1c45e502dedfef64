/* The name of a built-in variable. */

int pid;

BEGIN {}
