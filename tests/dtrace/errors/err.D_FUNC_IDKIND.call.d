/* A variable called as a function. */

BEGIN { trace(pid(1)); }
