/* One name, two types. */

int x; string x;

BEGIN {}
