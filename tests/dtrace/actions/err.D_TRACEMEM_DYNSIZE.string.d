/* A string for a size. */

BEGIN { tracemem(arg0, 4, execname); }
