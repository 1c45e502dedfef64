/* No divisor. */

BEGIN { @a = count(); normalize(@a); }
