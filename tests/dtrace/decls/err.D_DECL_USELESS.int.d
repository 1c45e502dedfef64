/* A declaration of nothing. */

int;

BEGIN {}
