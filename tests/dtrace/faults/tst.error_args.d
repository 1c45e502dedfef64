/* ERROR sees which fault it was, at which address; the clause that failed leaves nothing, the next ones run. */

#pragma D option quiet

int known;

BEGIN
{
	printf("not seen\n");
	trace(*(int *)0x40);
}

BEGIN
{
	zero = 0;
	x = 5 / zero; /* what was assigned before stays */
}

BEGIN
{
	x = 5 % zero;
}

BEGIN
{
	alloca(1 << 30);
}

BEGIN
{
	this->p = (int *)alloca(8);
	trace(*(int *)((char *)this->p + 1));
}

BEGIN
{
	printf("known %d\n", known);
	exit(0);
}

ERROR
{
	printf("fault %d address %x\n", arg4, arg4 == DTRACEFLT_BADADDR ? arg5 : 0);
	known += arg4 == DTRACEFLT_BADADDR || arg4 == DTRACEFLT_DIVZERO || arg4 == DTRACEFLT_NOSCRATCH || arg4 == DTRACEFLT_BADALIGN;
}
