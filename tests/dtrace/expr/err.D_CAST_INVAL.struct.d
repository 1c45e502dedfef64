/* A structure cast to an integer. */

struct s { int a; };
struct s v;

BEGIN { trace((int)v); }
