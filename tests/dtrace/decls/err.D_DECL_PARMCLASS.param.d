/* A parameter with a storage class. */

int f(self int x);

BEGIN {}
