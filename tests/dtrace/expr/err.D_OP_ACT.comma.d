/* An action as an operand. */

BEGIN { trace(1), trace(2); }
