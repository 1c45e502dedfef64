/* Records that find no room are counted; exit()'s status is not one of them. */
/* @@status: 5 */
/* @@runtest-opts: -x bufsize=256 */

#pragma D option quiet

BEGIN
{
	printf("%d\n", 1);
}

BEGIN
{
	printf("%d\n", 2);
}

BEGIN
{
	printf("%d\n", 3);
}

BEGIN
{
	printf("%d\n", 4);
}

BEGIN
{
	exit(5);
}
