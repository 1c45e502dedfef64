/* Associative arrays: several keys of mixed types, strings as values, missing elements, elements set to 0, thread-local ones. */

#pragma D option quiet

string name[int, string];
int count_of[string];

BEGIN
{
	name[1, "a"] = "one-a";
	name[2, "a"] = "two-a";
	name[1, "b"] = "one-b";
	printf("%s %s %s [%s]\n", name[1, "a"], name[2, "a"], name[1, "b"], name[2, "b"]);
	name[1, "a"] = 0;
	printf("[%s] %s\n", name[1, "a"], name[1, "b"]);
	count_of["x"]++;
	count_of["x"] += 10;
	count_of["y"]--;
	printf("%d %d %d\n", count_of["x"], count_of["y"], count_of["z"]);
	big[4294967296] = 1;
	big[0] = 2;
	printf("%d %d\n", big[4294967296], big[0]);
	self->m[pid, execname] = timestamp;
	printf("%d\n", self->m[pid, execname] != 0);
	index_of["k"] = 7;
	value[7, "v"] = 49;
	printf("%d\n", value[index_of["k"], "v"]);
	exit(0);
}
