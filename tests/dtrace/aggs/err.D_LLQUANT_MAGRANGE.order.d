/* Magnitudes in the wrong order. */

BEGIN { @a = llquantize(1, 10, 6, 0, 20); }
