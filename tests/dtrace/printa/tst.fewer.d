/* A format may show fewer keys than there are. */

#pragma D option quiet

BEGIN
{
	@a["k", 5] = max(3);
	printa("%s %@d\n", @a);
	exit(0);
}
