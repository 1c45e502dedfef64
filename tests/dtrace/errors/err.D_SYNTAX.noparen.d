/* A parenthesis that is not closed. */

BEGIN { trace((1); }
