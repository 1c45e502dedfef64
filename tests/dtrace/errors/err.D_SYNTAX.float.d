/* Floating-point constants. */

BEGIN { trace(1.5); }
