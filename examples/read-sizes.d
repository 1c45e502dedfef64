#!/usr/sbin/dtrace -s
/* How much each read returned, in powers of two. */

#pragma D option quiet

lx-syscall::read:return
/arg0 >= 0/
{
	@bytes["bytes per read"] = quantize(arg0);
}
