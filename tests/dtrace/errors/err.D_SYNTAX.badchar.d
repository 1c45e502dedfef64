/* A character that D does not have. */

BEGIN { trace(1 # 2); }
