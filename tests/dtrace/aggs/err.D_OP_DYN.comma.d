/* An aggregation as an operand. */

BEGIN { @a = count(); (1, @a); }
