/* flowindent shows functions by their nesting. */

#pragma D option flowindent

BEGIN
{
	trace(1);
	exit(0);
}
