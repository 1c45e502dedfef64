/* A translation as a value. */

struct s { int a; };
translator struct s < int x > { a = x; };

BEGIN { @[1] = sum(xlate <struct s> (3).a); xlate <struct s> (3); }
