BEGIN
{
	printf("%d\n", "text");
	exit(0);
}
