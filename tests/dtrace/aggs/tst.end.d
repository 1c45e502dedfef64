/* At the end aggregations come in the order of their first use, entries by value, then by key. */

#pragma D option quiet

BEGIN
{
	@b["b"] = sum(2);
	@b["a"] = sum(2);
	@b["c"] = sum(1);
	@b["d"] = sum(-1);
	@a[2] = count();
	@a[1] = count();
	@ = count();
	exit(0);
}
