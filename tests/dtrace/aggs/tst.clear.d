/* clear() keeps the keys and zeroes the values; what comes later counts from there. */

#pragma D option quiet

BEGIN
{
	i = 0;
	@a["x"] = count();
	@m["x"] = min(7);
}

tick-20ms
/i < 2/
{
	i++;
	printa("a %s %@d\n", @a);
	printa("m %s %@d\n", @m);
	clear(@a);
	clear(@m);
}

tick-20ms
/i == 2/
{
	i++;
	@a["x"] = count();
	@m["x"] = min(9);
	exit(0);
}

END
{
	printa("a %s %@d\n", @a);
	printa("m %s %@d\n", @m);
}
