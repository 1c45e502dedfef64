/* if and else in a clause: nested, with and without braces, with conditions that the branches change. */

#pragma D option quiet

BEGIN
{
	x = 3;
	if (x == 3) {
		printf("three\n");
		x = 4;
	} else
		printf("not three\n");
	if (x == 4)
		if (x == 5)
			printf("five\n");
		else
			printf("four, not five\n");
	if (x == 7) {
		printf("seven\n");
	} else if (x == 4) {
		printf("four\n");
	} else {
		printf("something\n");
	}
	printf("end\n");
	exit(0);
}

END
/x == 4/
{
	if (x)
		printf("END %d\n", x);
}

END
/x == 5/
{
	if (1)
		printf("never\n");
	else
		printf("never\n");
}
