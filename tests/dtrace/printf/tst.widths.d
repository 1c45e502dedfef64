/* Flags, width and precision; given in the format or as arguments. */

#pragma D option quiet

BEGIN
{
	printf("[%5d][%-5d][%05d][%+d][% d]\n", 42, 42, 42, 42, 42);
	printf("[%5.3d][%.4x]\n", 7, 10);
	printf("[%*d][%-*d][%.*d][%*d]\n", 5, 42, 5, 42, 4, 42, -5, 42);
	printf("[%8s][%-8s][%.2s][%8.2s]\n", "abc", "abc", "abc", "abc");
	printf("[%?x]\n", 16);
	exit(0);
}
