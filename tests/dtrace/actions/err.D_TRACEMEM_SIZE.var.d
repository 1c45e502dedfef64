/* A size that is no constant. */

BEGIN { x = 4; tracemem(arg0, x); }
