/* An aggregation. */

BEGIN { @a = count(); trace(@a); }
