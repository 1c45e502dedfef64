BEGIN
{
	printf("%d %d\n", 1);
	exit(0);
}
