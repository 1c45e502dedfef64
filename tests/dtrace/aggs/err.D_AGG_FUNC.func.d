/* A function that does not aggregate. */

BEGIN { @a = strlen("x"); }
