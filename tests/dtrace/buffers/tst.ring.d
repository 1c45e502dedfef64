/* bufpolicy=ring keeps the newest records: five of 72 bytes beside the ones of exit() and END. */
/* @@runtest-opts: -x bufpolicy=ring -x bufsize=512 */

#pragma D option quiet

tick-1ms
{
	printf("%d\n", n++);
}

tick-1ms
/n == 100/
{
	exit(0);
}

END
{
	printf("end\n");
}
