/* A step of zero. */

BEGIN { @a = lquantize(1, 1, 10, 0); }
