/* Translation to an integer. */

translator int < int x > { a = x; };

BEGIN {}
