/* trunc() keeps the n highest, with a negative n the lowest, without n nothing. */

#pragma D option quiet

BEGIN
{
	@a["a"] = sum(1); @a["b"] = sum(2); @a["c"] = sum(3); @a["d"] = sum(4);
	@b["a"] = sum(1); @b["b"] = sum(2); @b["c"] = sum(3); @b["d"] = sum(4);
	@c["a"] = sum(1);
	exit(0);
}

END
{
	trunc(@a, 2);
	trunc(@b, -2);
	trunc(@c);
	printa("a %s %@d\n", @a);
	printa("b %s %@d\n", @b);
	printa("c %s %@d\n", @c);
}
