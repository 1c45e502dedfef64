/* String functions. */

#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strlen("hello"), strlen(""));
	printf("%s %s\n", strchr("hello", 'l'), strrchr("hello", 'l'));
	none = strchr("hello", 'z');
	printf("[%s] %d %s\n", none, none == NULL, strstr("hello world", "o w"));
	printf("%s\n", strjoin("abc", "def"));
	printf("%s %s %s\n", substr("abcdef", 2), substr("abcdef", 1, 3), substr("abcdef", -2));
	printf("%d %d %d\n", index("abcabc", "bc"), index("abcabc", "bc", 2), index("abc", "x"));
	printf("%d %d\n", rindex("abcabc", "bc"), rindex("abcabc", "bc", 3));
	printf("%s %s\n", toupper("MiXed"), tolower("MiXed"));
	printf("%s %s\n", basename("/usr/lib/libc.so"), dirname("/usr/lib/libc.so"));
	printf("%s\n", cleanpath("/a/./b/../c//d"));
	printf("%s %s %s\n", lltostr(-42), lltostr(255, 16), lltostr(8, 8));
	printf("%d %d %d\n", strtoll("-42"), strtoll("ff", 16), strtoll("077"));
	printf("%s", strtok("a:b:c", ":"));
	printf(" %s", strtok(NULL, ":"));
	printf(" %s %d\n", strtok(NULL, ":"), strtok(NULL, ":") == NULL);
	printf("%c%c\n", "xyz"[0], "xyz"[2]);
	exit(0);
}
