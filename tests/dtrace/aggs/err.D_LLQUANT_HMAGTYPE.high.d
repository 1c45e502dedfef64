/* A magnitude that is no constant. */

BEGIN { @a = llquantize(1, 10, 0, pid, 20); }
