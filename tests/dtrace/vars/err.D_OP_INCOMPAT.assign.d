/* A string assigned to an integer. */

BEGIN { x = 1; x = execname; }
