/* flowindent: functions by their nesting, other probes with a bar. */
#pragma D option flowindent
BEGIN
{
	trace(1);
}
BEGIN { exit(0); }
