/* && || ^^ ! and ?: give 0 or 1, and what they need not know they do not ask for. */

#pragma D option quiet

BEGIN
{
	one = 1;
	zero = 0;
	n = 0;
	printf("%d %d %d %d\n", one && zero, one && 5, zero && ++n, n);
	printf("%d %d %d %d\n", one || zero, zero || 5, one || ++n, n);
	printf("%d %d %d %d\n", one ^^ zero, one ^^ 5, zero ^^ zero, zero ^^ 7);
	printf("%d %d %d\n", !one, !zero, !!7);
	printf("%d %s %d\n", one ? 3 : 4, zero ? "yes" : "no", one ? 10 : ++n);
	printf("%d %d\n", n, (n = 5, n + 1));
	printf("%d\n", zero ? 1 : one ? 2 : 3);
	printf("%d\n", one || zero && zero);
	printf("%d\n", one ^^ one && one);
	exit(0);
}
