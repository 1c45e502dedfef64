/* An aggregating function as a statement. */

BEGIN { count(); }
