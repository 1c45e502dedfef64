/* An error asked for. */

#error stop here
BEGIN {}
