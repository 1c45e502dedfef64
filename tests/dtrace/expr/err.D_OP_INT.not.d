/* A bit operation on a string. */

BEGIN { trace(~execname); }
