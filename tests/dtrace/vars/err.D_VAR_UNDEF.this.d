/* A clause-local variable that nothing assigns. */

BEGIN { trace(this->x); }
