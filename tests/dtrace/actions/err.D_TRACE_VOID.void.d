/* The value of what has none. */

BEGIN { trace(bcopy(alloca(1), alloca(1), 1)); }
