/* No size. */

BEGIN { tracemem(arg0); }
