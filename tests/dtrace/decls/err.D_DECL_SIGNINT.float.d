/* Unsigned float. */

unsigned float x;

BEGIN {}
