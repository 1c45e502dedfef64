/* A step of void *. */

BEGIN { p = copyin(arg0, 4); p++; }
