/* Unsigned void. */

unsigned void *x;

BEGIN {}
