/* A member without a conversion. */

struct s { int a; int b; };
translator struct s < int x > { a = x; };

BEGIN { trace(xlate <struct s> (3).b); }
