/* clear() keeps the keys and zeroes the values; what comes later counts from there. */

#pragma D option quiet

BEGIN
{
	@a["x"] = count();
	@m["x"] = min(7);
}

tick-300ms
/i++ < 2/
{
	printa("a %s %@d\n", @a);
	printa("m %s %@d\n", @m);
	clear(@a);
	clear(@m);
}

tick-800ms
{
	@a["x"] = count();
	@m["x"] = min(9);
	exit(0);
}

END
{
	printa("a %s %@d\n", @a);
	printa("m %s %@d\n", @m);
}
