/* Sum takes one argument. */

BEGIN { @a = sum(); }
