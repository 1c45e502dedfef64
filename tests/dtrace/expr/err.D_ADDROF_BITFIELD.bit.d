/* The address of a bit-field. */

struct s { int a : 3; };

BEGIN { trace(&((struct s *)alloca(4))->a); }
