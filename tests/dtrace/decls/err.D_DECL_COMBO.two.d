/* Two types. */

int char x;

BEGIN {}
