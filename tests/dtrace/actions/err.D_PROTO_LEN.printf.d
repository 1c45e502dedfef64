/* No format. */

BEGIN { printf(); }
