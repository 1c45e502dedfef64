/* Inline names, with and without parameters, and translators. */

#pragma D option quiet

inline int LIMIT = 3 * 4;
inline string GREETING = "hello";
inline int twice[int n] = n * 2;
inline int clamp[int n] = n > LIMIT ? LIMIT : n;

struct raw { int a; int b; };
typedef struct info { int sum; string label; int scaled; } info_t;

translator info_t < struct raw *r > {
	sum = r->a + r->b;
	label = r->a > r->b ? "a" : "b";
	scaled = twice[r->a];
};

inline info_t *of_fixed = xlate <info_t *> (fixed);

struct raw *fixed;

BEGIN
{
	printf("%d %s %d %d %d\n", LIMIT, GREETING, twice[LIMIT], clamp[100], clamp[twice[2]]);
	this->r = (struct raw *)alloca(sizeof(struct raw));
	this->r->a = 30;
	this->r->b = 12;
	printf("%d %s %d\n", xlate <info_t> (this->r).sum, xlate <info_t *> (this->r)->label, xlate <info_t> (this->r).scaled);
	fixed = this->r;
	printf("%d %s\n", of_fixed->sum, of_fixed->label);
	exit(0);
}
