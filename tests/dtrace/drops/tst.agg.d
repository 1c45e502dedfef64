/* What does not fit an aggregation's memory is counted. */
/* @@runtest-opts: -x aggsize=256 -x aggrate=100s */

#pragma D option quiet

BEGIN
{
	@["a key that takes room", 1] = count();
	@["a key that takes room", 2] = count();
	@["a key that takes room", 3] = count();
	@["a key that takes room", 4] = count();
	@["a key that takes room", 5] = count();
	@["a key that takes room", 6] = count();
	exit(0);
}
