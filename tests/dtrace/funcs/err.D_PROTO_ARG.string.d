/* A number for a string. */

BEGIN { trace(strlen(3)); }
