/* A string as predicate. */

BEGIN /execname/ { trace(1); }
