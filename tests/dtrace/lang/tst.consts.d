#!/usr/sbin/dtrace -s
/* Integer, character and string constants in all their spellings. */

#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", 10, 010, 0x10, 0XfF);
	printf("%d %d %d %d\n", 1u, 1L, 1ul, 1LL);
	printf("%u %d\n", 0xffffffff, 0x7fffffffffffffff);
	printf("%u\n", 18446744073709551615);
	printf("%d %d %d %d %d\n", 'a', '\n', '\\', '\'', '"');
	printf("%d %d %d %d\n", '\0', '\x41', '\101', '\t');
	printf("%x %x\n", 'ab', 'abcd');
	printf("%s|%s|%s\n", "a\tb", "quote \" end", "back\\slash");
	printf("%s %s\n", "\x41\102", "");
	printf("%d %d\n", ENOENT, SIGKILL);
	printf("%d\n", \
	       1);
	exit(0);
}
