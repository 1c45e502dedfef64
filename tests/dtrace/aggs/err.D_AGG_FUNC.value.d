/* A value assigned to an aggregation. */

BEGIN { @a = 3; }
