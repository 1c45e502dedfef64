/* Remainder of a division by zero. */

BEGIN { x = 1; x %= 0; }
