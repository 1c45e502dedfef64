/* Whatever a guest leaves in a session's memory, the consumer prints something and goes on: records with any items under every
 * printing action, entries of aggregations with any key and data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/consumer_impl.h"
#include "tests/fuzz/fuzz.h"

static const char program[] =
	"#pragma D option quiet\n"
	"BEGIN { printf(\"%d %u %x %c %5s|%-9s|%.3s %S %p %Y %T %*d %.*x\\n\", 1, 2, 3, 'a', \"b\", \"c\", \"d\", \"e\", (void *)1, "
	"timestamp, timestamp, 4, 5, 6, 7); trace(1); trace(\"s\"); trace((char)1); trace(timestamp); }\n"
	"BEGIN { @c = count(); @n[1, \"k\", (char)2] = sum(3); @m[1, \"k\", (char)2] = avg(3); @d[\"k\"] = stddev(1); @q[\"k\"] = "
	"quantize(1); @l = lquantize(1, 0, 100, 10); @i = min(1); @x = max(1); }\n"
	"BEGIN { printa(@n); printa(\"%d %s %d %@d %@x\\n\", @n, @m); printa(@n, @m); printa(\"%s %@d\\n\", @q); printa(@l); printa(@c); "
	"printa(\"%@p %@Y\\n\", @d); }\n"
	"BEGIN { clear(@n); trunc(@m, 2); trunc(@q); normalize(@d, 3); denormalize(@l); setopt(\"quiet\"); }\n"
	"lx-syscall::read:entry { trace(arg0); }\n"
	"lx-syscall::read:return { exit(arg0); }\n";

static struct dt_probes *ps;
static struct dt_opts opts;
static struct dt_prog *prog;

static void setup(void)
{
	struct dt_source src = { .text = program, .argc = 0, .target = -1 };
	struct dt_matched matched;
	struct err e = { 0 };

	if (prog)
		return;
	stderr = fopen("/dev/null", "w"); /* each damaged record is reported */
	dt_opts_init(&opts);
	ps = dt_probes_new();
	prog = dt_prog_new(ps, &opts);
	if (dt_compile(prog, &src, &matched, &e) < 0) {
		printf("%s\n", e.msg);
		abort();
	}
}

struct input {
	const uint8_t *p;
	size_t n;
};

static uint64_t take(struct input *in, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes-- && in->n) {
		v = v << 8 | *in->p++;
		in->n--;
	}
	return v;
}

/* Items of any kind, as a reader of the arena lets them through: lengths add up, kinds are known. */
static size_t put_items(struct input *in, uint8_t *to, size_t cap)
{
	size_t len = 0;

	for (unsigned k = (unsigned)take(in, 1) % 20; k; k--) {
		struct dvm_item it = { .kind = 1 + (uint32_t)take(in, 1) % 4 };
		size_t room;

		it.len = it.kind == DVM_I_INT ? 8 : (uint32_t)take(in, 1);
		room = sizeof(it) + ((it.len + 7) & ~7u);
		if (len + room > cap)
			break;
		memset(to + len, 0, room);
		memcpy(to + len, &it, sizeof(it));
		for (uint32_t i = 0; i < it.len; i++)
			to[len + sizeof(it) + i] = (uint8_t)take(in, 1);
		len += room;
	}
	return len;
}

static void one_record(struct dt_consumer *c, struct input *in)
{
	static _Alignas(8) uint8_t buf[16384];
	struct session s = { .control = take(in, 1) & 1 };
	struct dvm_rec *r = (struct dvm_rec *)(void *)buf;

	memset(r, 0, sizeof(*r));
	r->kind = take(in, 1) & 7 ? DVM_REC_DATA : DVM_REC_ERROR;
	r->cpu = (uint16_t)take(in, 1);
	r->clause = (uint32_t)take(in, 1) % c->nclauses;
	r->probe = (uint32_t)take(in, 1) % c->img->probes.count;
	r->fault = (uint32_t)take(in, 1);
	r->addr = take(in, 8);
	r->len = (uint32_t)(sizeof(*r) + put_items(in, buf + sizeof(*r), sizeof(buf) - sizeof(*r)));
	record_needs_aggs(c, r);
	record_consume(c, &s, r);
}

static void one_entry(struct dt_consumer *c, struct input *in)
{
	static _Alignas(8) uint8_t key[4096];
	static uint64_t data[256];
	struct dvm_aggent ent = { .agg = (uint32_t)take(in, 1), .key = key, .data = data };
	uint64_t mask = take(in, 1) & 1 ? ~0ull : 0xff;

	ent.keylen = (uint32_t)put_items(in, key, sizeof(key));
	for (unsigned i = 0; i < 256; i++)
		data[i] = in->n ? take(in, 8) & mask : 0;
	agg_store_merge(&c->aggs, &ent);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t size)
{
	struct input in = { p, size };
	FILE *out = fopen("/dev/null", "w");
	struct err e = { 0 };
	struct dt_consumer *c;

	setup();
	c = dt_consumer_new(prog, &opts, out, &e);
	if (!c)
		abort();
	while (in.n) {
		if (take(&in, 1) & 1)
			one_record(c, &in);
		else
			one_entry(c, &in);
	}
	agg_print_rest(&c->aggs, &c->print, c->opts);
	dt_consumer_free(c);
	fclose(out);
	return 0;
}
