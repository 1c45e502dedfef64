/* A statement that D does not have. */

BEGIN { while (1); }
