/* The usual arithmetic conversions: what an operation is done in, and what it is cut to. */

#pragma D option quiet

unsigned int u;
int i;
long l;
char c;
unsigned char uc;
short s;

BEGIN
{
	u = 4294967295;
	i = -1;
	l = -1;
	printf("%d %d %d %d\n", i < u, i == u, l < u, l == u);
	printf("%u %d %d\n", u + 1, i + 1u, l + u);
	c = 200;
	uc = 200;
	s = 70000;
	printf("%d %d %d\n", c, uc, s);
	printf("%d %d %d\n", c + uc, uc + uc, c >> 1);
	printf("%d\n", 2147483647 + 1);
	printf("%u\n", 2147483647u + 1);
	printf("%d\n", 2147483647L + 1);
	printf("%d %u %d\n", (char)0x1ff, (unsigned char)0x1ff, (short)0x18000);
	printf("%d %d %d %d\n", sizeof(1), sizeof(1u), sizeof(1L), sizeof(4294967296));
	printf("%d %d %d\n", sizeof(c), sizeof(c + c), sizeof(1 ? 1 : 1L));
	u = -1 / 2u;
	printf("%u\n", u);
	exit(0);
}
