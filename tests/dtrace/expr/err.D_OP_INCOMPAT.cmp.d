/* A string compared with a number. */

BEGIN { trace(execname == 3); }
