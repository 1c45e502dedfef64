/* * on a pointer to a function. */

BEGIN { trace(*(int (*)(int))alloca(8)); }
