/* Too many arguments. */

BEGIN { trace(copyinstr(1, 2, 3)); }
