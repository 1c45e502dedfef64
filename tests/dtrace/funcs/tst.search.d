/* strchr(), strrchr(), strstr(), index(), rindex(), with NULL for what is not found. */

#pragma D option quiet

BEGIN
{
	s = "foobarbazbop";
	printf("[%s] [%s] [%s]\n", strchr(s, 'b'), strrchr(s, 'b'), strstr(s, "baz"));
	printf("%d %d %d\n", strchr(s, 'x') == NULL, strrchr(s, 'x') == NULL, strstr(s, "bat") == NULL);
	printf("%d %d %d\n", strchr(s, 'o') != NULL, strstr(s, "") != NULL, strstr(s, s) != NULL);
	printf("%d %d %d %d\n", index(s, "ba"), index(s, "ba", 4), index(s, "ba", 7), index(s, "ba", -5));
	printf("%d %d %d %d\n", rindex(s, "ba"), rindex(s, "ba", 5), rindex(s, "ba", 2), rindex(s, "ba", 100));
	printf("%d %d %d %d\n", index(s, ""), rindex(s, ""), index(s, "", 100), rindex(s, "", -1));
	exit(0);
}
