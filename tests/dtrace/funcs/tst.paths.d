/* basename(), dirname(), cleanpath(). */

#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s] [%s]\n", basename("/foo/bar"), basename("/foo/bar//"), basename("/"), basename(""));
	printf("[%s] [%s] [%s] [%s]\n", dirname("/foo/bar"), dirname("/foo/bar//"), dirname("/"), dirname(""));
	printf("[%s] [%s] [%s]\n", dirname("foo"), dirname("/foo"), basename("foo"));
	printf("[%s] [%s]\n", cleanpath("/foo/./bar//baz/../x"), cleanpath("/../a/b/../../c"));
	exit(0);
}
