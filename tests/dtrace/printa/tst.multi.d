/* Several aggregations side by side, by key; one that lacks a key shows 0. */

#pragma D option quiet

BEGIN
{
	@n["a"] = count();
	@n["b"] = count();
	@n["b"] = count();
	@s["b"] = sum(100);
	@s["c"] = sum(7);
	printa("%s %@d %@d\n", @n, @s);
	printa(@n, @s);
	exit(0);
}
