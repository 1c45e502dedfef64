/* Pointers to memory of the program's own: stepping, differences, indices, casts, bytes. */

#pragma D option quiet

BEGIN
{
	p = (int *)alloca(32);
	p[0] = 1;
	*(p + 1) = 2;
	p[2] = p[0] + p[1];
	printf("%d %d %d %d\n", *p, p[1], p[2], p[3]);
	q = p + 2;
	printf("%d %d %d\n", *q, q - p, *(q - 1));
	q++;
	*q = 0x01020304;
	b = (unsigned char *)q;
	printf("%d %d %d %d\n", b[0], b[1], b[2], b[3]);
	printf("%x\n", *(unsigned short *)q);
	*q += 1;
	(*q)++;
	printf("%x\n", p[3]);
	q -= 3;
	printf("%d\n", *q);
	printf("%d\n", &p[2] - &p[0]);
	printf("%d\n", *&p[1]);
	exit(0);
}
