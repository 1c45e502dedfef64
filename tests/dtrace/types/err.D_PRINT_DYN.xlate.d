/* A translation as a value. */

struct s { int a; };
translator struct s < int x > { a = x; };

BEGIN { print(xlate <struct s> (3)); }
