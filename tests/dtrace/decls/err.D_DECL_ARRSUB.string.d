/* An array size that is no number. */

int a["x"];

BEGIN {}
