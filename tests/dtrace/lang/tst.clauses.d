/* Several clauses for one probe run in order; several descriptions share a clause; predicates choose. */

#pragma D option quiet

BEGIN
{
	n = 1;
}

BEGIN
/n == 1/
{
	printf("first %d\n", n++);
}

BEGIN
/n == 1/
{
	printf("not this one\n");
}

BEGIN,
BEGIN
/n >= 2 && n / 2 == 1/
{
	printf("twice %d\n", n);
}

dtrace:::BEGIN, :::END
/* a comment before the body */
{
	printf("%s:%s\n", probeprov, probename);
}

BEGIN
{
	exit(0);
}
