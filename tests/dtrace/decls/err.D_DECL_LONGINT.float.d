/* Long float. */

long float x;

BEGIN {}
