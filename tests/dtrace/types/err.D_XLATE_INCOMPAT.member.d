/* A conversion of another type. */

struct s { int a; };
translator struct s < int x > { a = execname; };

BEGIN { trace(xlate <struct s> (3).a); }
