/* Variables keep the width and sign of their types; operators on them. */

#pragma D option quiet

char c;
unsigned char uc;
short s;
uint32_t u;
int64_t big;

BEGIN
{
	c = 0x1ff;
	uc = 0x1ff;
	s = 0x18000;
	u = -1;
	big = 0x7fffffffffffffff;
	printf("%d %d %d %d %d\n", c, uc, s, u, big);
	c++;
	uc++;
	u++;
	big++;
	printf("%d %d %d %d\n", c, uc, u, big);
	this->x = 7;
	this->x <<= 3;
	this->x |= 1;
	this->x ^= 0x10;
	this->x -= 2;
	printf("%d %d %d\n", this->x, this->x++, ++this->x);
	exit(0);
}
