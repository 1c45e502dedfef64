/* Keys of several types and sizes. */

#pragma D option quiet

BEGIN
{
	@["s", (char)1, (short)2, 3, (int64_t)4] = count();
	@["t", (char)-1, (short)-2, -3, (int64_t)-4] = count();
	exit(0);
}
