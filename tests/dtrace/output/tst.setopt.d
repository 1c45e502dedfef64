/* setopt(): from the record's end on; options that cannot change any more are reported and change nothing. */
BEGIN
{
	setopt("quiet");
	printf("first\n");
}

BEGIN
{
	printf("second\n");
	setopt("bufsize", "4k");
	setopt("nonsense");
	exit(0);
}
