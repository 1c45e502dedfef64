/* A string as condition. */

BEGIN { trace(execname ? 1 : 2); }
