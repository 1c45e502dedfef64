/* Assignment operators on every kind of place, and their values. */

#pragma D option quiet

BEGIN
{
	printf("%d ", x = 4);
	printf("%d ", x += 3);
	printf("%d ", x -= 2);
	printf("%d ", x *= 6);
	printf("%d ", x /= 4);
	printf("%d ", x %= 4);
	printf("%d ", x <<= 4);
	printf("%d ", x >>= 1);
	printf("%d ", x |= 3);
	printf("%d ", x &= 25);
	printf("%d\n", x ^= 1);
	printf("%d %d %d %d %d\n", x++, x, ++x, x--, --x);
	a[1, "k"] = 5;
	a[1, "k"] += 2;
	a[1, "k"]++;
	self->y = 1;
	self->y <<= 3;
	this->z = self->y -= 2;
	printf("%d %d %d\n", a[1, "k"], self->y, this->z);
	m = n = o = 7;
	printf("%d\n", m + n + o);
	i = 1;
	a[i++, "k"] += 100;
	printf("%d %d\n", a[1, "k"], i);
	exit(0);
}
