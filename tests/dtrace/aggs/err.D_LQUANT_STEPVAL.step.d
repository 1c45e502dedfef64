/* A step beyond 16 bits. */

BEGIN { @a = lquantize(1, 1, 100000000, 65536); }
