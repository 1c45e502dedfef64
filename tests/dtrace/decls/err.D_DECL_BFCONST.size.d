/* The size of a bit-field that is no constant. */

struct s { int a : pid; };

BEGIN {}
