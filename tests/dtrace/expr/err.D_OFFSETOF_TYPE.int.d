/* Offsetof of an integer. */

BEGIN { trace(offsetof(int, x)); }
