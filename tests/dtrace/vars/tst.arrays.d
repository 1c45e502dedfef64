/* Arrays of fixed size, as variables and in structures. */

#pragma D option quiet

int a[4];
char text[8];
struct pair { int x; int y; } p[2];

BEGIN
{
	a[0] = 10;
	a[3] = a[0] * 2;
	i = 3;
	printf("%d %d %d %d\n", a[0], a[1], a[i], a[i] + a[i - 3]);
	a[i]++;
	a[1] -= 5;
	printf("%d %d\n", a[3], a[1]);
	text[0] = 'h';
	text[1] = 'i';
	printf("%s %d\n", stringof(text), sizeof(text));
	p[1].x = 5;
	p[1].y = p[1].x + 1;
	printf("%d %d %d\n", p[0].x, p[1].x, p[1].y);
	exit(0);
}
