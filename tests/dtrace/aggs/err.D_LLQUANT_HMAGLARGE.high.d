/* A power beyond 64 bits. */

BEGIN { @a = llquantize(1, 10, 0, 19, 20); }
