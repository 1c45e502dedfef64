/* No translator for these types. */

struct s { int a; };

BEGIN { trace(xlate <struct s> (3).a); }
