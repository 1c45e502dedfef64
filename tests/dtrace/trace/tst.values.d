/* trace(): columns by type. */

BEGIN
{
	trace((char)-1);
	trace((unsigned char)200);
	trace((short)-300);
	trace(-70000);
	trace((int64_t)-5000000000);
	trace((uint64_t)18446744073709551615);
	trace("text");
	exit(0);
}
