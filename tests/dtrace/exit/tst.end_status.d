/* exit() in a tick probe: its other clauses do not run, END does, the status is the one given. */
/* @@status: 7 */

#pragma D option quiet

tick-1ms
{
	n++;
}

tick-1ms
/n == 3/
{
	exit(7);
}

tick-1ms
{
	last = n;
}

END
{
	printf("n %d last %d\n", n, last);
}
