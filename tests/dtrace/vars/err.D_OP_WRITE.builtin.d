/* Assignment to a built-in variable. */

BEGIN { pid = 3; }
