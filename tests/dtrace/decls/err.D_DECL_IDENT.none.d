/* A declaration without a type. */

extern x;

BEGIN {}
