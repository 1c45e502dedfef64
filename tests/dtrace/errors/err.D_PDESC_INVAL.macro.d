/* An unknown macro variable in a description. */

pid$nosuch:::entry { trace(1); }
