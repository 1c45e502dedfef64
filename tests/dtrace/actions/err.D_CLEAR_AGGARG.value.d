/* A number for an aggregation. */

BEGIN { clear(1); }
