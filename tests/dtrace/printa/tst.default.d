/* printa() without a format: a newline, then keys and value in columns. */

#pragma D option quiet

BEGIN
{
	@a["one", 1] = sum(10);
	@a["two", 2] = sum(20);
	@b = count();
	printa(@a);
	printa(@b);
	exit(0);
}
