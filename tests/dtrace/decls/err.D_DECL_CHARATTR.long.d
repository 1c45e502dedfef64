/* Long char. */

long char x;

BEGIN {}
