/* tracemem() and trace() of bytes. */
/* @@trigger: echo twenty bytes of text */

#pragma D option quiet

syscall::write:entry
/execname == "echo"/
{
	tracemem(copyin(arg1, 20), 20);
	exit(0);
}
