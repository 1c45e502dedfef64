/* trace() in quiet mode: bare values. */

#pragma D option quiet

BEGIN
{
	trace(-1);
	trace("text");
	trace((uint64_t)7);
	exit(0);
}
