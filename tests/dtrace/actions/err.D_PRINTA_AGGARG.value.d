/* A number for an aggregation. */

BEGIN { printa(1); }
