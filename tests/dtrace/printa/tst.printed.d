/* What printa() has shown is not shown again at the end; the rest is. */

#pragma D option quiet

BEGIN
{
	@shown["x"] = count();
	@rest["y"] = count();
	printa("%s\n", @shown);
	exit(0);
}
