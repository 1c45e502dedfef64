/* A linear histogram with what is below and above its range. */

#pragma D option quiet

BEGIN
{
	@ = lquantize(-5, 0, 30, 10);
	@ = lquantize(0, 0, 30, 10);
	@ = lquantize(15, 0, 30, 10);
	@ = lquantize(15, 0, 30, 10);
	@ = lquantize(30, 0, 30, 10);
	exit(0);
}
