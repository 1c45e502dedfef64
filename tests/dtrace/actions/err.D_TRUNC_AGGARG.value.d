/* A number for an aggregation. */

BEGIN { trunc(1); }
