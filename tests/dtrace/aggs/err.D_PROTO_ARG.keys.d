/* A key of another type. */

BEGIN { @a[1] = count(); @a["x"] = count(); }
