/* lltostr(), strtoll(), byte orders, case. */

#pragma D option quiet

BEGIN
{
	printf("%s %s %s %s\n", lltostr(-1234), lltostr(255, 16), lltostr(8, 8), lltostr(5, 2));
	printf("%d %d %d %d\n", strtoll("  -77x"), strtoll("0x1F", 16), strtoll("777", 8), strtoll("z", 36));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x123456789abcdef0));
	printf("%d %d %d\n", ntohs(htons(4711)) == 4711, ntohl(htonl(4711)) == 4711, ntohll(htonll(4711)) == 4711);
	printf("%s %s %s\n", toupper("MiXed-1"), tolower("MiXed-1"), strjoin("a", strjoin("b", "c")));
	exit(0);
}
