/* alloca(), bcopy(), loads and stores through pointers. */

#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(4 * sizeof(int));
	this->p[0] = 10;
	this->p[1] = 20;
	*(this->p + 2) = this->p[0] + this->p[1];
	this->q = (int *)alloca(4 * sizeof(int));
	bcopy(this->p, this->q, 4 * sizeof(int));
	printf("%d %d %d %d\n", this->q[0], this->q[1], this->q[2], this->q[3]);
	this->c = (char *)alloca(8);
	this->c[0] = 'h';
	this->c[1] = 'i';
	printf("%s %d\n", stringof(this->c), strlen(stringof(this->c)));
	exit(0);
}
