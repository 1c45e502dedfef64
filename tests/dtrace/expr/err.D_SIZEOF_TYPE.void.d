/* Sizeof of nothing. */

BEGIN { trace(sizeof(void)); }
