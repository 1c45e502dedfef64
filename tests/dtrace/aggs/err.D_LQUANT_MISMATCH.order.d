/* A limit below the base. */

BEGIN { @a = lquantize(1, 10, 1, 1); }
