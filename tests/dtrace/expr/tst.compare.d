/* Comparisons of integers of both signs, of strings, and of pointers. */

#pragma D option quiet

BEGIN
{
	i = -1;
	u = 1u;
	s = "banana";
	printf("%d %d %d %d %d %d\n", i < 1, i <= -1, i > 1, i >= 0, i == -1, i != -1);
	printf("%d %d\n", i < u, i > u);
	printf("%d %d %d\n", s == "banana", s != "banana", s == "banan");
	printf("%d %d %d %d\n", s < "cherry", s > "apple", s <= "banana", s >= "bananas");
	printf("%d %d\n", "" == "", "" < "a");
	p = (int *)alloca(16);
	printf("%d %d %d\n", p == p + 0, p < p + 1, p + 2 != p);
	printf("%d\n", (char *)0 == NULL);
	exit(0);
}
