/* The consumer's aggregations: merging, order, joins, clear and trunc; the image of sessions that are not in control; and what
 * a holder may say that it should not. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "dtrace/consumer_impl.h"
#include "dtrace/format.h"

/* A program and what its aggregations hold, fed by hand. */
struct fixture {
	struct dt_probes *ps;
	struct dt_opts opts;
	struct dt_prog *prog;
	struct dt_consumer *c;
	char *text;
	size_t len;
	FILE *out;
};

static struct fixture *open_program(const char *d)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct dt_source src = { .text = d, .target = -1 };
	struct dt_matched m;
	struct err e = { 0 };

	dt_opts_init(&f->opts);
	f->ps = dt_probes_new();
	f->prog = dt_prog_new(f->ps, &f->opts);
	if (dt_compile(f->prog, &src, &m, &e) < 0)
		fail_msg("%s", e.msg);
	f->out = open_memstream(&f->text, &f->len);
	f->c = dt_consumer_new(f->prog, &f->opts, f->out, &e);
	assert_non_null(f->c);
	return f;
}

static void printed(struct fixture *f, const char *want)
{
	fflush(f->out);
	assert_string_equal(f->text, want);
	fclose(f->out);
	free(f->text);
	f->out = open_memstream(&f->text, &f->len);
	f->c->print.out = f->out;
}

static void close_program(struct fixture *f)
{
	dt_consumer_free(f->c);
	fclose(f->out);
	free(f->text);
	dt_prog_free(f->prog);
	dt_probes_free(f->ps);
	dt_opts_free(&f->opts);
	free(f);
}

/* One entry with a string key (or none) and up to four words of data. */
static void feed(struct fixture *f, uint32_t agg, const char *key, int64_t a, int64_t b)
{
	static _Alignas(8) uint8_t k[64];
	static uint64_t data[DVM_QUANTIZE_NBUCKETS];
	struct dvm_aggent ent = { .agg = agg, .key = k, .data = data };
	struct dvm_item it = { DVM_I_STR, key ? (uint32_t)strlen(key) : 0 };

	memset(k, 0, sizeof(k));
	memset(data, 0, sizeof(data));
	if (key) {
		memcpy(k, &it, sizeof(it));
		memcpy(k + sizeof(it), key, it.len);
		ent.keylen = sizeof(it) + ((it.len + 7) & ~7u);
	}
	data[0] = (uint64_t)a;
	data[1] = (uint64_t)b;
	agg_store_merge(&f->c->aggs, &ent);
}

static void show(struct fixture *f, const char *fmt, uint32_t n, const uint32_t *agg)
{
	struct dt_fmt *p;

	assert_int_equal(dt_fmt_parse(fmt, true, &p, NULL), 0);
	agg_printa(&f->c->aggs, &f->c->print, &f->opts, p, agg, n);
	dt_fmt_free(p);
}

static void test_merge_and_order(void **state)
{
	struct fixture *f = open_program("BEGIN { @s[\"k\"] = sum(1); @mn[\"k\"] = min(1); @mx[\"k\"] = max(1); @av[\"k\"] = avg(1); }");
	static const uint32_t s[] = { 0 }, mn[] = { 1 }, mx[] = { 2 }, av[] = { 3 };

	(void)state;
	feed(f, 0, "b", 5, 0);
	feed(f, 0, "a", 5, 0);
	feed(f, 0, "c", -7, 0);
	feed(f, 0, "a", 1, 0);
	show(f, "%s %@d\n", 1, s);
	printed(f, "c -7\nb 5\na 6\n");
	f->opts.val[DT_OPT_AGGSORTREV] = 1;
	show(f, "%s %@d\n", 1, s);
	printed(f, "a 6\nb 5\nc -7\n");
	f->opts.val[DT_OPT_AGGSORTREV] = 0;
	f->opts.val[DT_OPT_AGGSORTKEY] = 1;
	show(f, "%s\n", 1, s);
	printed(f, "a\nb\nc\n");
	feed(f, 1, "k", 5, 0);
	feed(f, 1, "k", -5, 0);
	feed(f, 1, "k", 7, 0);
	show(f, "%@d", 1, mn);
	feed(f, 2, "k", 5, 0);
	feed(f, 2, "k", 9, 0);
	feed(f, 2, "k", -9, 0);
	show(f, " %@d", 1, mx);
	feed(f, 3, "k", 2, 10);
	feed(f, 3, "k", 2, 20);
	show(f, " %@d", 1, av);
	printed(f, "-5 9 7");
	feed(f, 77, "k", 1, 1); /* no such aggregation: nothing happens */
	agg_print_rest(&f->c->aggs, &f->c->print, &f->opts);
	printed(f, ""); /* all were shown */
	close_program(f);
}

static void test_clear_and_trunc(void **state)
{
	struct fixture *f = open_program("BEGIN { @s[\"k\"] = sum(1); @mn[\"k\"] = min(1); }");
	static const uint32_t s[] = { 0 }, mn[] = { 1 };

	(void)state;
	for (int i = 0; i < 5; i++)
		feed(f, 0, (char[]){ (char)('a' + i), '\0' }, i, 0);
	agg_store_trunc(&f->c->aggs, 0, 3);
	show(f, "%s", 1, s);
	printed(f, "cde");
	agg_store_trunc(&f->c->aggs, 0, -2);
	show(f, "%s", 1, s);
	printed(f, "cd");
	agg_store_clear(&f->c->aggs, 0);
	show(f, "%s%@d ", 1, s);
	printed(f, "c0 d0 ");
	feed(f, 0, "d", -1, 0);
	show(f, "%s%@d ", 1, s);
	printed(f, "d-1 c0 ");
	agg_store_trunc(&f->c->aggs, 0, INT64_MIN);
	show(f, "%s", 1, s);
	printed(f, "dc");
	agg_store_trunc(&f->c->aggs, 0, 0);
	show(f, "%s", 1, s);
	printed(f, "");
	feed(f, 1, "k", 3, 0);
	agg_store_clear(&f->c->aggs, 1);
	feed(f, 1, "k", 8, 0);
	show(f, "%@d", 1, mn);
	printed(f, "8"); /* not the 0 of the cleared entry */
	close_program(f);
}

static void test_join(void **state)
{
	struct fixture *f = open_program("BEGIN { @x[\"k\"] = sum(1); @y[\"k\"] = sum(1); }");
	static const uint32_t xy[] = { 0, 1 };

	(void)state;
	feed(f, 0, "a", 3, 0);
	feed(f, 0, "b", 1, 0);
	feed(f, 1, "b", 20, 0);
	feed(f, 1, "c", 30, 0);
	show(f, "%s %@d %@d %@d\n", 2, xy); /* the last value serves again */
	printed(f, "c 0 30 30\nb 1 20 20\na 3 0 0\n");
	f->opts.val[DT_OPT_AGGSORTPOS] = 1;
	show(f, "%s", 2, xy);
	printed(f, "abc");
	f->opts.val[DT_OPT_AGGSORTPOS] = 7; /* beyond: counted round */
	show(f, "%s", 2, xy);
	printed(f, "abc");
	close_program(f);
}

static void test_many(void **state)
{
	struct fixture *f = open_program("BEGIN { @s[\"k\"] = sum(1); }");
	static const uint32_t s[] = { 0 };
	char key[16];

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 20000; i++) {
			snprintf(key, sizeof(key), "%d", i);
			feed(f, 0, key, i, 0);
		}
	}
	assert_int_equal(f->c->aggs.n, 20000);
	agg_store_trunc(&f->c->aggs, 0, 2);
	assert_int_equal(f->c->aggs.n, 2);
	show(f, "%s=%@d ", 1, s);
	printed(f, "19998=39996 19999=39998 ");
	close_program(f);
}

static unsigned count_ops(const struct dvm_image *img, uint32_t clause, uint8_t op)
{
	const struct dvm_clause *cl = (const void *)((const char *)img + img->clauses.off);
	const struct dvm_insn *in = (const void *)((const char *)img + img->insns.off);
	unsigned n = 0;

	for (uint32_t i = 0; i < cl[clause].ninsn; i++)
		n += in[cl[clause].insn + i].op == op;
	return n;
}

static void test_mute(void **state)
{
	struct fixture *f = open_program("BEGIN { x = 1; @ = count(); printf(\"%d\", x); exit(1); }\n"
					 "syscall::read:entry { @ = count(); trace(x); }\n"
					 "tick-1s, syscall::read:entry { @ = count(); }");
	struct dvm_image *m = image_mute(f->c->img, f->c->imglen);
	char why[128] = "";

	(void)state;
	assert_non_null(m);
	if (dvm_verify(m, f->c->imglen, why, sizeof(why)) < 0)
		fail_msg("%s", why);
	assert_int_equal(count_ops(f->c->img, 0, DVM_AGG), 1);
	assert_int_equal(count_ops(m, 0, DVM_AGG), 0);
	assert_int_equal(count_ops(m, 0, DVM_EXIT), 1);
	assert_int_equal(count_ops(m, 0, DVM_RINT), 1);
	assert_int_equal(count_ops(m, 1, DVM_AGG), 1);
	assert_int_equal(count_ops(m, 2, DVM_AGG), 0); /* of tick; of the call: */
	assert_int_equal(count_ops(m, 3, DVM_AGG), 1);
	free(m);
	close_program(f);
}

/* ---- A holder of our own making ---- */

enum play { P_ERROR, P_NO_FD, P_EMPTY, P_SMALL, P_EOF, P_SHORT, P_VERSION, P_ODD, P_GONE };

struct holder {
	int sock;
	enum play play;
	pthread_t thread;
	void *image;
};

static int memory(size_t size)
{
	int fd = memfd_create("arena", MFD_CLOEXEC);

	assert_true(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	return fd;
}

static void say(int sock, uint32_t type, int fd)
{
	struct ses_msg m = { .type = type, .version = SES_VERSION };

	ses_send(sock, &m, fd);
	if (fd >= 0)
		close(fd);
}

/* The arena that the message asks for, as a real holder makes it. */
static int real_arena(struct holder *h, const struct ses_msg *m, int image)
{
	off_t len = lseek(image, 0, SEEK_END);
	size_t size;
	int fd;
	void *a;

	h->image = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, image, 0);
	size = dvm_arena_size(h->image, &m->u.open.opts);
	fd = memory(size);
	a = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	dvm_arena_init(a, size, h->image, &m->u.open.opts);
	munmap(a, size);
	return fd;
}

static void *holder_run_play(void *arg)
{
	struct holder *h = arg;
	struct ses_msg m, odd = { .version = SES_VERSION };
	int fd, s = h->sock;

	if (ses_recv(s, &m, &fd) != 1)
		return NULL;
	switch (h->play) {
	case P_ERROR:
		odd.type = SES_ERROR;
		memset(odd.u.error.text, 'x', sizeof(odd.u.error.text));
		ses_send(s, &odd, -1);
		break;
	case P_NO_FD:
		say(s, SES_OPENED, -1);
		break;
	case P_EMPTY:
		say(s, SES_OPENED, memory(0));
		break;
	case P_SMALL:
		say(s, SES_OPENED, memory(4096));
		break;
	case P_EOF:
		break;
	case P_SHORT:
		send(s, "short", 5, MSG_NOSIGNAL);
		break;
	case P_VERSION:
		odd.type = SES_OPENED;
		odd.version = 77;
		ses_send(s, &odd, -1);
		break;
	case P_ODD:
	case P_GONE:
		say(s, SES_OPENED, real_arena(h, &m, fd));
		ses_recv(s, &m, NULL); /* GO */
		say(s, SES_RUNNING, -1);
		odd.type = SES_ENDED;
		odd.u.ended.target = 4000000000u;
		ses_send(s, &odd, memory(1)); /* with a descriptor that nobody asked for */
		say(s, SES_WAKE, -1);
		if (h->play == P_GONE)
			break;
		while (ses_recv(s, &m, NULL) == 1) { /* SNAPs, then STOP */
			odd.type = m.type == SES_SNAP ? SES_SNAPPED : SES_STOPPED;
			odd.u.snapped.table = 77;
			ses_send(s, &odd, -1);
			odd.type = SES_ENDED;
			odd.u.ended.target = 0;
			ses_send(s, &odd, -1);
		}
		break;
	}
	if (fd >= 0)
		close(fd);
	close(s);
	return NULL;
}

static int add_session(struct fixture *f, struct holder *h, enum play play, struct err *e)
{
	static const pid_t pid = 1;
	struct dt_target t = { .name = "a test", .pid = &pid, .npid = 1 };
	int sock[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock), 0);
	*h = (struct holder){ .sock = sock[1], .play = play };
	assert_int_equal(pthread_create(&h->thread, NULL, holder_run_play, h), 0);
	return dt_consumer_add(f->c, sock[0], &t, e);
}

static void test_odd_openings(void **state)
{
	static const struct { enum play play; const char *says; } t[] = {
		{ P_ERROR, "xxxxxxxx" }, { P_NO_FD, "a test: the tracer sent no memory" }, { P_EMPTY, "a test: the tracer sent no memory" },
		{ P_SMALL, "a test: traced by another build" }, { P_EOF, "a test: the tracer has gone" }, { P_SHORT, "a test: " },
		{ P_VERSION, "a test: " },
	};
	struct fixture *f = open_program("BEGIN { @ = count(); }");

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct err e = { 0 };
		struct holder h;

		assert_true(add_session(f, &h, t[i].play, &e) < 0);
		pthread_join(h.thread, NULL);
		if (strncmp(e.msg, t[i].says, strlen(t[i].says)))
			fail_msg("%zu: %s", i, e.msg);
	}
	assert_int_equal(f->c->nsess, 0);
	close_program(f);
}

static void run_play(enum play play, int want)
{
	struct fixture *f = open_program("#pragma D option quiet\nBEGIN { x = 1; } END { printf(\"END %d\", x); @[\"e\"] = count(); }");
	struct err e = { 0 };
	struct holder h;
	int status = 7, r;

	if (add_session(f, &h, play, &e) < 0 || dt_consumer_go(f->c, &e) < 0)
		fail_msg("%s", e.msg);
	r = dt_consumer_run(f->c, &status, &e);
	assert_int_equal(r, want);
	assert_int_equal(status, 0);
	fflush(f->out);
	/* A holder that has gone fires no END: we do, in its memory, where BEGIN never ran. */
	printed(f, play == P_GONE ? "END 0\n  e                                                                 1\n" : "\n");
	close_program(f);
	pthread_join(h.thread, NULL);
}

static void test_odd_messages(void **state)
{
	(void)state;
	run_play(P_ODD, 0);
}

static void test_gone(void **state)
{
	(void)state;
	run_play(P_GONE, -EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge_and_order), cmocka_unit_test(test_clear_and_trunc), cmocka_unit_test(test_join),
		cmocka_unit_test(test_many), cmocka_unit_test(test_mute), cmocka_unit_test(test_odd_openings),
		cmocka_unit_test(test_odd_messages), cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
