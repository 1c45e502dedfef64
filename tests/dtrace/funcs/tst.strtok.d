/* strtok() goes on over the clauses of one probe; NULL when nothing is left. */

#pragma D option quiet

BEGIN
{
	this->str = ",,,Carrots,,Barley,Oatmeal,,,Beans,";
}

BEGIN
/(this->field = strtok(this->str, ",")) == NULL/
{
	exit(1);
}

BEGIN
{
	printf("%s\n", this->field);
}

BEGIN
/(this->field = strtok(NULL, ",")) == NULL/
{
	exit(2);
}

BEGIN
{
	printf("%s\n%s\n", this->field, strtok(NULL, ","));
	printf("%s\n", strtok(NULL, ","));
}

BEGIN
/(self->a = strtok(NULL, ",")) != NULL/
{
	printf("unexpected: %s\n", self->a);
	exit(5);
}

BEGIN
{
	exit(0);
}
