/* A step larger than the range. */

BEGIN { @a = lquantize(1, 1, 10, 20); }
