/* An unknown pragma. */

#pragma D nosuch thing
BEGIN {}
