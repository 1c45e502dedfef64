/* Macro arguments and variables; defaultargs gives those that are missing. */

#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%d [%s] %d [%s]\n", $1, $$1, $5, $$5);
	printf("%d %d\n", $pid == pid, $$pid == lltostr(pid));
	printf("%d %d %d\n", $uid == $euid, $gid == $egid, $ppid > 0);
	exit(0);
}
