/* A structure that nothing defines. */

BEGIN { trace(((struct nosuch *)alloca(4))->a); }
