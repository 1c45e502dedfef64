/* A string or a number. */

BEGIN { trace(1 ? execname : 3); }
