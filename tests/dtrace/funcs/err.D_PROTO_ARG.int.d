/* A string for a number. */

BEGIN { trace(lltostr(execname)); }
