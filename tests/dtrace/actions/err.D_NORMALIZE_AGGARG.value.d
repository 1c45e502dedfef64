/* A number for an aggregation. */

BEGIN { normalize(1, 2); }
