/* The address of a variable. */

BEGIN { x = 1; trace(&x); }
