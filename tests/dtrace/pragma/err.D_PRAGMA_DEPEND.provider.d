/* A provider that does not exist. */

#pragma D depends_on provider nosuch
BEGIN {}
