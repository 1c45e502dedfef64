/* A string for an address. */

BEGIN { tracemem(execname, 4); }
