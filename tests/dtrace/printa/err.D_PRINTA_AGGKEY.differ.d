BEGIN
{
	@a["k"] = count();
	@b["k", 1] = count();
	printa(@a, @b);
	exit(0);
}
