/* A key without a value. */

BEGIN { a[bcopy(alloca(1), alloca(1), 1)] = 2; }
