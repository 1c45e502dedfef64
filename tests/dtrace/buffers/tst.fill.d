/* bufpolicy=fill keeps the oldest records and ends when one does not fit; END has room of its own. */
/* @@runtest-opts: -x bufpolicy=fill -x bufsize=512 */

#pragma D option quiet

tick-1ms
{
	printf("%d\n", n++);
}

tick-10s
{
	exit(3);
}

END
{
	printf("end %d\n", n > 4);
}
