/* Steps that do not divide a power of the factor. */

BEGIN { @a = llquantize(1, 10, 0, 6, 30); }
