/* An unknown name. */

BEGIN { trace(nosuch); }
