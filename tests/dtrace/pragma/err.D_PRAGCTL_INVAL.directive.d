/* An unknown directive. */

#nosuch thing
BEGIN {}
