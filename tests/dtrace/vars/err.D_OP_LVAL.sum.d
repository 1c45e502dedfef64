/* Increment of a value. */

BEGIN { x = 1; (x + 1)++; }
