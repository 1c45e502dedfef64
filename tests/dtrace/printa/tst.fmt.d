/* printa() with a format, once for each key. */

#pragma D option quiet

BEGIN
{
	@a["one", 1] = sum(10);
	@a["two", 2] = sum(-20);
	printa("%s:%d:%@d\n", @a);
	printa("%-5s|%@8d|%@-8d|%@x\n", @a);
	printa("%@d\n", @a);
	printa("total\n", @a);
	exit(0);
}
