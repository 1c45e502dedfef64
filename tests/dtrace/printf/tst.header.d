/* Without quiet each record has a column with its probe, and a newline of its own. */

BEGIN
{
	printf("one");
	printf("two");
}

BEGIN
{
	exit(0);
}
