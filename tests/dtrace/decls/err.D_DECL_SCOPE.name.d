/* A scope in a declared name. */

int a`b;

BEGIN {}
