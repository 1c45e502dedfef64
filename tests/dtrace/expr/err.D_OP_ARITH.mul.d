/* A product with a string. */

BEGIN { trace(2 * execname); }
