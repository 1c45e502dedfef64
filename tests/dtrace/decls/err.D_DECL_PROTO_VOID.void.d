/* Void beside another parameter. */

int f(int, void);

BEGIN {}
