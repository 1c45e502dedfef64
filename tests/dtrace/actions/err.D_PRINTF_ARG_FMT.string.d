/* A format that is no constant. */

BEGIN { printf(execname); }
