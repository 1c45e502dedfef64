/* An array without a size. */

int a[];

BEGIN {}
