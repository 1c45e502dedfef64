/* A thread-local variable that nothing assigns. */

BEGIN { trace(self->x); }
