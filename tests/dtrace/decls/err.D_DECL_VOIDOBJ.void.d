/* A variable without a type. */

void x;

BEGIN {}
