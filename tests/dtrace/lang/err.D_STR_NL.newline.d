/* A string across lines. */

BEGIN { trace("abc
"); }
