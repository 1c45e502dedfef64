/* Elements that find no room are counted, and read as zero; freed ones make room again. */
/* @@runtest-opts: -x dynvarsize=200 */

#pragma D option quiet

BEGIN
{
	a[1] = 1;
	a[2] = 2;
	a[3] = 3;
	a[4] = 4;
	a[5] = 5;
	a[6] = 6;
	printf("%d %d %d %d %d %d\n", a[1], a[2], a[3], a[4], a[5], a[6]);
	a[1] = 0;
	a[7] = 7;
	printf("%d %d\n", a[1], a[7]);
	exit(0);
}
