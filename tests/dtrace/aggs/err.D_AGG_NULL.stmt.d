/* A statement that only names an aggregation. */

BEGIN { @a = count(); @a; }
