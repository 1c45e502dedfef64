/* A key of another type. */

BEGIN { a[1] = 2; a["x"] = 3; }
