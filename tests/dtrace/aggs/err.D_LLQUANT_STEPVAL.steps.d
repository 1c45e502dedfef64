/* Steps beyond 16 bits. */

BEGIN { @a = llquantize(1, 10, 0, 6, 100000); }
