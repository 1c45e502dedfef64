/* Two indices of a pointer. */

BEGIN { x = alloca(8); trace(((int *)x)[1, 2]); }
