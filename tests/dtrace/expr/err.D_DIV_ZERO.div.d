/* Division by zero. */

BEGIN { trace(1 / 0); }
