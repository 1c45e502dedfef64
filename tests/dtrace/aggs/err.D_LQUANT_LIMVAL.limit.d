/* A limit beyond 32 bits. */

BEGIN { @a = lquantize(1, 1, 3000000000, 1); }
