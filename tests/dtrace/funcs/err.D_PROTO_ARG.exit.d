/* A string for a status. */

BEGIN { exit("x"); }
