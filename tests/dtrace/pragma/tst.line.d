/* Options, attributes and the lines of a preprocessor. */

#pragma D option quiet
#pragma D option strsize=8
#pragma D attributes Stable/Stable/Common provider x
#pragma ident "whatever"
# 100 "elsewhere.d"
#line 200 "elsewhere.d"

BEGIN
{
	s = "0123456789";
	printf("%s\n", s);
	exit(0);
}
