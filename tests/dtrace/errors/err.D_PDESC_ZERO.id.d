/* A probe number that does not exist. */

99999999 { trace(1); }
