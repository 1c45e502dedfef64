/* aggsortpos: which of several aggregations in one printa() sorts first. */

#pragma D option quiet

#pragma D option aggsortpos=1

BEGIN
{
	@x["a"] = sum(1); @x["b"] = sum(2); @x["c"] = sum(3);
	@y["a"] = sum(30); @y["b"] = sum(10); @y["c"] = sum(20);
	printa("%s %@d %@d\n", @x, @y);
	exit(0);
}
