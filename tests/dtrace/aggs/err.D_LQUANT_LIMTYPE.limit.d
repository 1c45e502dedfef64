/* A limit that is no constant. */

BEGIN { @a = lquantize(1, 1, pid, 1); }
