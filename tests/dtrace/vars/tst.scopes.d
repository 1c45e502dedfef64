/* Global, thread-local and clause-local variables: this-> starts at zero with each firing and lives through its clauses. */

#pragma D option quiet

int declared;
self int t;
this int c;
string g;

BEGIN
{
	declared = 1;
	self->t = 2;
	this->c = 3;
	g = "text";
	this->s = "local";
	self->s = "thread";
}

BEGIN
{
	printf("%d %d %d %s %s %s\n", declared, self->t, this->c, g, this->s, self->s);
	self->t = 0;
	self->s = 0;
}

END
{
	printf("%d %d %d %s [%s] [%s]\n", declared, self->t, this->c, g, this->s, self->s);
}

BEGIN
{
	exit(0);
}
