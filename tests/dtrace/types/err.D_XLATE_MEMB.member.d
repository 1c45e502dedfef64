/* A conversion for a member that does not exist. */

struct s { int a; };
translator struct s < int x > { b = x; };

BEGIN {}
