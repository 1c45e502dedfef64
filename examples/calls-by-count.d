#!/usr/sbin/dtrace -s
/* Which system calls, how many of each. */

#pragma D option quiet

lx-syscall:::entry
{
	@calls[probefunc] = count();
}

END
{
	printf("%-24s %12s\n", "CALL", "COUNT");
	printa("%-24s %@12d\n", @calls);
}
