/* Increments, also negative ones: bars to either side of a line. */

#pragma D option quiet

BEGIN
{
	@["k"] = quantize(1, 10);
	@["k"] = quantize(4, -10);
	exit(0);
}
