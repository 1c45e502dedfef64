BEGIN
{
	@a["k"] = count();
	printa("%s %s %@d\n", @a);
	exit(0);
}
