/* An aggregation. */

BEGIN { @a = count(); print(@a); }
