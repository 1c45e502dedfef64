/* Every aggregating function of one number, without and with keys. */

#pragma D option quiet

BEGIN
{
	@c = count();
	@c = count();
	@s = sum(5);
	@s = sum(-7);
	@mn = min(5);
	@mn = min(-7);
	@mx = max(5);
	@mx = max(-7);
	@av = avg(10);
	@av = avg(21);
	@sd = stddev(1);
	@sd = stddev(5);
	printa("count %@d\n", @c);
	printa("sum %@d\n", @s);
	printa("min %@d\n", @mn);
	printa("max %@d\n", @mx);
	printa("avg %@d\n", @av);
	printa("stddev %@d\n", @sd);
	exit(0);
}
