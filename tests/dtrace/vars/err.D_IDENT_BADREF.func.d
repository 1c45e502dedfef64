/* A function without arguments. */

BEGIN { trace(strlen); }
