/* system(): what was printed before comes before the command's output. */
/* @@runtest-opts: -w */

#pragma D option quiet

BEGIN
{
	printf("before\n");
	system("echo command %d; exit %d", 1, 2);
	printf("after\n");
	exit(0);
}
