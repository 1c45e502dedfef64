/* Too many steps. */

BEGIN { @a = lquantize(1, 1, 100000, 1); }
