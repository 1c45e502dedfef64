/* Strings, characters, escapes and the per cent sign. */

#pragma D option quiet

BEGIN
{
	printf("%s|%s|%s\n", "", "a b", "tab\tend");
	printf("%c%c%c\n", 'x', 'y', 122);
	printf("%S\n", "q\"b\\n\n");
	printf("%C\n", '\n');
	printf("100%%\n");
	printf("no newline");
	exit(0);
}
