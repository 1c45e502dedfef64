/* No character. */

BEGIN { trace(''); }
