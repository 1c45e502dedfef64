/* Short long. */

short long x;

BEGIN {}
