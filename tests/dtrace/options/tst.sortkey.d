/* aggsortkey sorts by key, aggsortrev the other way round, aggsortkeypos begins with another key. */

#pragma D option quiet

#pragma D option aggsortkey
#pragma D option aggsortrev
#pragma D option aggsortkeypos=1

BEGIN
{
	@["a", 2] = sum(1);
	@["b", 1] = sum(2);
	@["c", 3] = sum(3);
	exit(0);
}
