/* An action as an operand. */

BEGIN { 1 ? trace(1) : trace(2); }
