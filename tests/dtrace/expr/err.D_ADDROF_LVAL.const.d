/* The address of a constant. */

BEGIN { trace(&1); }
