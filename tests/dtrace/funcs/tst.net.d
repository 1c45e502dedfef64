/* Byte order, and addresses as text. */

#pragma D option quiet

BEGIN
{
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x123456789abcdef0));
	printf("%x %x %x\n", ntohs(0x3412), ntohl(0x78563412), ntohll(0xf0debc9a78563412));
	a = (unsigned char *)alloca(4);
	a[0] = 192;
	a[1] = 168;
	a[2] = 1;
	a[3] = 20;
	printf("%s %s\n", inet_ntoa((in_addr_t *)a), inet_ntop(2, a));
	exit(0);
}
