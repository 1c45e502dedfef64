/* Args[] outside a clause. */

int a[args[0]];

BEGIN {}
