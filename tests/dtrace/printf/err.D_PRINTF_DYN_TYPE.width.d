BEGIN
{
	printf("%*d\n", "text", 1);
	exit(0);
}
