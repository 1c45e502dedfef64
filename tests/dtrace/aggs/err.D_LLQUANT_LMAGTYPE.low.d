/* A magnitude that is no constant. */

BEGIN { @a = llquantize(1, 10, pid, 6, 20); }
