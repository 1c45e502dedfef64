/* A string for a number. */

BEGIN { @a = count(); trunc(@a, execname); }
