/* -> on a pointer to an integer. */

BEGIN { trace(((int *)alloca(4))->a); }
