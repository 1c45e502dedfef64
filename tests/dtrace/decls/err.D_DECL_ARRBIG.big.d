/* An array that is too big. */

int a[2147483647];

BEGIN {}
