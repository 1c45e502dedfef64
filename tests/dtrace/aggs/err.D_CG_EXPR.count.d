/* An aggregating function as a value. */

BEGIN { x = count(); }
