/* What BEGIN sees of itself. */

#pragma D option quiet

BEGIN
{
	printf("%s:%s:%s:%s %d %s %s\n", probeprov, probemod, probefunc, probename, id, execname, zonename);
	printf("%d %d %d %d\n", pid == $pid, tid == pid, ppid == $ppid, epid > 0);
	printf("%d %d %d\n", uid == $uid, gid == $gid, errno);
	printf("%d %d %d\n", timestamp > 1000000, walltimestamp > 1500000000000000000, vtimestamp <= timestamp);
	printf("%d %d\n", arg0, arg9);
	exit(0);
}
