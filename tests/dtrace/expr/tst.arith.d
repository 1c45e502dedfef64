/* Arithmetic, with constants and at run time: C's precedence, truncation and signs. */

#pragma D option quiet

BEGIN
{
	a = 17;
	b = -5;
	printf("%d %d %d %d %d\n", a + b, a - b, a * b, a / b, a % b);
	printf("%d %d %d %d %d\n", 17 + -5, 17 - -5, 17 * -5, 17 / -5, 17 % -5);
	printf("%d %d %d\n", a + b * 2 - a / 2, (a + b) * 2, -a / 2);
	printf("%d %d %d %d\n", a & 12, a | 12, a ^ 12, ~a);
	printf("%d %d %d\n", a << 3, a >> 2, b >> 1);
	printf("%d %d\n", 1 + 2 << 3, 1 | 2 & 3 ^ 1);
	printf("%d %d %d\n", - -a, +a, !a);
	exit(0);
}
