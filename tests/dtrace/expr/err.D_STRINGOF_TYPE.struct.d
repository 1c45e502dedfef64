/* Stringof of a structure. */

struct s { int a; };
struct s v;

BEGIN { trace(stringof(v)); }
