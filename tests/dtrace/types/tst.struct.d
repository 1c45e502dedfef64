/* Structures, unions, enumerations, bit-fields: members, sizes, offsets, copies. */

#pragma D option quiet

enum color { RED, GREEN = 5, BLUE };

struct point {
	char tag;
	int x;
	long y;
	struct {
		short inner;
	};
	union {
		int whole;
		unsigned char part[4];
	} u;
	unsigned int low : 3, mid : 5;
	int neg : 4;
};

typedef struct point point_t;

point_t p;
struct point q;

BEGIN
{
	p.tag = 'p';
	p.x = -7;
	p.y = 4294967296;
	p.inner = 300;
	p.u.whole = 0x01020304;
	p.low = 13;
	p.mid = 17;
	p.neg = -3;
	printf("%c %d %d %d\n", p.tag, p.x, p.y, p.inner);
	printf("%d %d %d %d\n", p.low, p.mid, p.neg, p.u.part[0]);
	q = p;
	p.x++;
	p.mid += 20;
	printf("%d %d %d %d\n", p.x, q.x, p.mid, q.mid);
	printf("%d %d %d %d\n", sizeof(struct point), sizeof(p.y), offsetof(point_t, y), offsetof(struct point, u));
	printf("%d %d %d\n", RED, BLUE, (enum color)5 == GREEN);
	this->r = (point_t *)alloca(sizeof(point_t));
	*this->r = q;
	this->r->x *= 2;
	printf("%d %d %x\n", this->r->x, (*this->r).y == q.y, this->r->u.whole);
	exit(0);
}
