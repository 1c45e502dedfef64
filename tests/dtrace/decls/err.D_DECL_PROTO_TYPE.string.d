/* A function of a string. */

int f(string);

BEGIN {}
