/* The value of what has none. */

BEGIN { print(bcopy(alloca(1), alloca(1), 1)); }
