/* A variable of an undefined structure. */

struct nosuch x;

BEGIN {}
