/* A string for a divisor. */

BEGIN { @a = count(); normalize(@a, execname); }
