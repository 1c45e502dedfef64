/* Structures: members of global, thread-local and keyed ones; those not yet set are zero. */

#pragma D option quiet

struct info {
	uint64_t ts;
	int calls;
	char tag[4];
	struct {
		short a, b;
	} in;
};

struct info g;
struct info i[string];
self struct info t;
this struct info l;

BEGIN
{
	g.calls = 5;
	g.in.b = -2;
	i["read"].calls++;
	i["read"].calls += 10;
	i["write"].ts = 1;
	self->t.calls = 7;
	self->t.tag[1] = 'x';
	this->l.in.a = 3;
	printf("%d %d %d %d\n", g.calls, g.in.a, g.in.b, g.ts);
	printf("%d %d %d %d\n", i["read"].calls, i["write"].calls, i["write"].ts, i["none"].calls);
	printf("%d %c %d %d\n", self->t.calls, self->t.tag[1], self->t.tag[0], this->l.in.a);
	i["copy"] = i["read"];
	i["read"].calls = 0;
	printf("%d %d\n", i["copy"].calls, i["read"].calls);
	exit(0);
}
