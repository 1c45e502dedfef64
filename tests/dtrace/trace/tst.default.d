/* A clause without actions shows that its probe fired. */

BEGIN
{
}

BEGIN
{
	exit(0);
}
