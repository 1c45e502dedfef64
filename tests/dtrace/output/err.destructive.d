/* Without -w destructive actions are refused. */
BEGIN
{
	system("echo no");
	exit(0);
}
