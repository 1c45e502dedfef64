/* One array, two kinds of keys. */

int a[int]; int a[string];

BEGIN {}
