/* -> on a structure. */

struct s { int a; };
struct s v;

BEGIN { trace(v->a); }
