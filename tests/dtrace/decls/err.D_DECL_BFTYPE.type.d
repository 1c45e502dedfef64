/* A bit-field that is no integer. */

struct s { string a : 3; };

BEGIN {}
