/* An associative array without keys. */

BEGIN { a[1] = 2; trace(a); }
