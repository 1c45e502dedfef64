/* An unknown function. */

BEGIN { nosuch(1); }
