/* An action as a value. */

BEGIN { x = trace(1); }
