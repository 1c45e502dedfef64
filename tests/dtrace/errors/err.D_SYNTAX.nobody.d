/* A description alone, in a file. */

BEGIN
