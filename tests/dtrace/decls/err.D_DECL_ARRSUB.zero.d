/* An array of no elements. */

int a[0];

BEGIN {}
