/* A base beyond 32 bits. */

BEGIN { @a = lquantize(1, -3000000000, 10, 1); }
