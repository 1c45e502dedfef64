/* freopen(): output goes to a file, and with "" back. */
/* @@runtest-opts: -w */

#pragma D option quiet

BEGIN
{
	freopen("/dev/%s", "null");
	printf("lost\n");
	freopen("");
	printf("seen\n");
	exit(0);
}
