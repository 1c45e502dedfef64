/* Too few arguments. */

BEGIN { trace(strlen()); }
