#pragma D option bufsize=big

BEGIN
{
	exit(0);
}
