/* A bit operation on a string. */

BEGIN { trace(1 | execname); }
