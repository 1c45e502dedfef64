/* normalize() divides what is shown, denormalize() stops that; the data stay. */

#pragma D option quiet

BEGIN
{
	@a["x"] = sum(100);
	@q["x"] = avg(50);
	exit(0);
}

END
{
	normalize(@a, 10);
	normalize(@q, 5);
	printa("%s %@d\n", @a);
	printa("%s %@d\n", @q);
	denormalize(@a);
	printa("%s %@d\n", @a);
}
