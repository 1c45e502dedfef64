/* An unknown option. */

#pragma D option nosuch=3
BEGIN {}
