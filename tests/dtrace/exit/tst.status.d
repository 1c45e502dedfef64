/* exit() gives the status, and END still fires. */

#pragma D option quiet

/* @@status: 7 */
BEGIN
{
	exit(7);
}

END
{
	printf("end\n");
}
