/* A factor beyond 16 bits. */

BEGIN { @a = llquantize(1, 65536, 0, 1, 65536); }
