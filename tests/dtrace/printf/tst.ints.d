/* Integers print as their type is, and as the conversion wants them. */

#pragma D option quiet

BEGIN
{
	printf("%d %i %u %x %X %o\n", -1, 42, 7, 255, 255, 8);
	printf("%d %u %x\n", (char)-1, (unsigned char)255, (char)-1);
	printf("%d %u %x\n", (short)-1, (unsigned short)65535, (short)-1);
	printf("%d %u %x\n", (int)-1, (uint32_t)4294967295, (int)-1);
	printf("%d %u %x\n", (int64_t)-1, (uint64_t)18446744073709551615, (int64_t)-1);
	printf("%d\n", (uint64_t)18446744073709551615);
	printf("%ld %lld %hd %hhd\n", (int64_t)1, (int64_t)2, (short)3, (char)4);
	printf("%p %#x %#o\n", (void *)4096, 255, 8);
	exit(0);
}
