/* An index beyond the array. */

int a[4];

BEGIN { trace(a[4]); }
