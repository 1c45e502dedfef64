/* An associative array in clauses. */

this int a[int];

BEGIN {}
