/* A call of a number. */

BEGIN { trace(1(2)); }
