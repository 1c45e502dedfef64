/* strsize cuts strings. */

#pragma D option quiet

#pragma D option strsize=4

BEGIN
{
	x = "abcdefgh";
	printf("%s\n", x);
	exit(0);
}
