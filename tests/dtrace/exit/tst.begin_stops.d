/* exit() in BEGIN: no later clause runs but END's; what the clause itself still does is seen. */

#pragma D option quiet

BEGIN
{
	printf("one\n");
}

BEGIN
{
	exit(0);
	printf("two\n");
}

BEGIN
{
	printf("not seen\n");
}

tick-1ms
{
	printf("not seen\n");
}

END
{
	printf("end\n");
}

END
{
	printf("end again\n");
}
