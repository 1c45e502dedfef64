/* Minus of a string. */

BEGIN { trace(-execname); }
