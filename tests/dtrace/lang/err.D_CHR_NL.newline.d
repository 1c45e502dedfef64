/* A character across lines. */

BEGIN { trace('a
'); }
