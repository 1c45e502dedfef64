/* progenyof(): the process itself and its descendants, of whatever degree. */
/* @@trigger: tree */

#pragma D option quiet

syscall::getsid:entry
/progenyof($target)/
{
	all++;
	self->ts = timestamp;
}

syscall::getsid:entry
/pid != $target && progenyof(ppid)/
{
	children++;
}

syscall::getsid:entry
/progenyof(2) || !progenyof(pid)/
{
	bad++;
}

syscall::getsid:return
/self->ts/
{
	self->ts = 0;
	returns++;
}

END
{
	printf("%d %d %d %d\n", all, children, bad, returns);
}
