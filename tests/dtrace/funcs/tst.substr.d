/* substr(): as Perl's, with negative indices and counts. */

#pragma D option quiet

BEGIN
{
	s = "foobarbazbop";
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 3), substr(s, 300), substr(s, -10), substr(s, 0));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 1), substr(s, strlen(s) - 1), substr(s, strlen(s)), substr(s, strlen(s) + 1));
	printf("[%s] [%s] [%s]\n", substr(s, 8, 20), substr(s, 4, 4), substr(s, 5, 8));
	printf("[%s] [%s] [%s]\n", substr(s, 400, 20), substr(s, 400, 0), substr(s, 400, -1));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 3, 0), substr(s, 3, -1), substr(s, 3, -4), substr(s, 3, -20));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, -10, -5), substr(s, 0, 400), substr(s, -1, 400), substr(s, -1, -1));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, -24, 24), substr(s, -24, 12), substr(s, -24, 13), substr(s, -12, 11));
	exit(0);
}
