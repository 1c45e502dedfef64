/* Another number of keys. */

BEGIN { a[1] = 2; a[1, 2] = 3; }
