#!/usr/sbin/dtrace -s
/*
 * CPU time by system call, in nanoseconds. "- all syscalls -" is their sum; "- total -" is all CPU time of the program's
 * threads, each from its first call on: what is left is time in the program's own code and its libraries.
 */

#pragma D option quiet

self uint64_t start;
self uint64_t last;

lx-syscall:::entry,
lx-syscall:::return
{
	this->now = vtimestamp;
}

lx-syscall:::entry,
lx-syscall:::return
/self->last/
{
	@time["- total -"] = sum(this->now - self->last);
}

lx-syscall:::return
/self->start/
{
	@time[probefunc] = sum(this->now - self->start);
	@time["- all syscalls -"] = sum(this->now - self->start);
	self->start = 0;
}

lx-syscall:::entry
{
	self->start = this->now;
}

lx-syscall:::entry,
lx-syscall:::return
{
	self->last = this->now;
}

END
{
	printf("%-24s %16s\n", "CALL", "CPU TIME (NS)");
	printa("%-24s %@16d\n", @time);
}
