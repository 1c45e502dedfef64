/* An unknown array. */

BEGIN { trace(nosuch[1]); }
