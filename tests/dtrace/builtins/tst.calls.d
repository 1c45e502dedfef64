/* What probes of a system call see: its entry's arguments, its return's result and errno. */
/* @@trigger: cat /nonexistent-file */

#pragma D option quiet

syscall::openat:entry
/copyinstr(arg1) == "/nonexistent-file"/
{
	self->path = copyinstr(arg1);
	printf("%s:%s:%s %s %s %d\n", probeprov, probefunc, probename, execname, basename(self->path), (int)arg0);
}

syscall::openat:return
/self->path != NULL/
{
	printf("%s %d %d %d %d\n", probename, (int)arg0, (int)arg1, errno, errno == ENOENT);
	self->path = 0;
	seen++;
}

END
{
	printf("seen %d\n", seen);
}
