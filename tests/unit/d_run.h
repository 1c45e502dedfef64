/* Compiles D text and runs it on the machine without an engine: what a probe records comes back as text, one line a
 * record, items separated by blanks. */
#ifndef TESTS_UNIT_D_RUN_H
#define TESTS_UNIT_D_RUN_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dtrace/program.h"
#include "dvm/dvm.h"

struct d_run {
	struct dt_probes *ps;
	struct dt_opts opts;
	struct dt_prog *prog;
	struct err e;
	struct dt_matched m;
	struct dvm_image *img;
	size_t len;
	char out[65536];
};

static uint64_t d_guest_mem[64]; /* what the fake guest has in memory; addresses are real ones */

static inline int d_copyin(const struct dvm_event *ev, uint64_t addr, void *dst, size_t len)
{
	uint64_t base = (uint64_t)(uintptr_t)d_guest_mem;

	if (addr < base || addr - base > sizeof(d_guest_mem) || len > sizeof(d_guest_mem) - (addr - base))
		return -EFAULT;
	memcpy(dst, (const void *)(uintptr_t)addr, len);
	return 0;
}

static inline long d_copyinstr(const struct dvm_event *ev, uint64_t addr, char *dst, size_t cap)
{
	size_t n = 0;

	while (n + 1 < cap) {
		if (d_copyin(ev, addr + n, dst + n, 1) < 0)
			return -EFAULT;
		if (!dst[n])
			return (long)n;
		n++;
	}
	dst[n] = 0;
	return (long)n;
}

static inline int d_copyout(const struct dvm_event *ev, uint64_t addr, const void *src, size_t len)
{
	uint64_t base = (uint64_t)(uintptr_t)d_guest_mem;

	if (addr < base || addr - base > sizeof(d_guest_mem) || len > sizeof(d_guest_mem) - (addr - base))
		return -EFAULT;
	memcpy((void *)(uintptr_t)addr, src, len);
	return 0;
}

static inline uint64_t d_builtin(const struct dvm_event *ev, int b)
{
	return 1000 + (uint64_t)b;
}

/* 0, or dt_compile()'s error in r->e. */
static inline int d_compile_src(struct d_run *r, const struct dt_source *src)
{
	char why[256];
	int rc;

	memset(r, 0, sizeof(*r));
	dt_opts_init(&r->opts);
	r->ps = dt_probes_new();
	assert_non_null(r->ps);
	r->prog = dt_prog_new(r->ps, &r->opts);
	assert_non_null(r->prog);
	rc = dt_compile(r->prog, src, &r->m, &r->e);
	if (rc < 0)
		return rc;
	assert_int_equal(dt_prog_image(r->prog, &r->img, &r->len, &r->e), 0);
	if (dvm_verify(r->img, r->len, why, sizeof(why)) < 0) {
		print_error("%s\n", src->text);
		fail_msg("dvm_verify: %s", why);
	}
	return 0;
}

static inline int d_compile(struct d_run *r, const char *text)
{
	struct dt_source src = { .text = text, .target = -1 };

	return d_compile_src(r, &src);
}

static inline void d_free(struct d_run *r)
{
	free(r->img);
	dt_prog_free(r->prog);
	dt_probes_free(r->ps);
	dt_opts_free(&r->opts);
	memset(r, 0, sizeof(*r));
}

/* Prints the record's items as their clause's metadata says. */
static inline void d_show(struct d_run *r, const struct dvm_rec *rec, char **at, char *end)
{
	uint32_t n;
	const struct dt_clausemeta *cl = dt_prog_clauses(r->prog, &n);
	size_t pos = sizeof(*rec);

	if (rec->kind == DVM_REC_ERROR) {
		*at += snprintf(*at, (size_t)(end - *at), "fault %s\n", dvm_fault_text(rec->fault));
		return;
	}
	for (uint32_t a = 0; a < cl[rec->clause].nact; a++) {
		const struct dt_act *act = &cl[rec->clause].act[a];

		for (uint32_t i = 0; i < act->nval; i++) {
			const struct dvm_item *it = dvm_item_next(rec, rec->len, &pos);
			const struct dt_val *v = &act->val[i];
			const void *data = it + 1;
			int64_t num;

			assert_non_null(it);
			if (it->kind == DVM_I_STR) {
				assert_int_equal(v->kind, DT_VAL_STRING);
				*at += snprintf(*at, (size_t)(end - *at), "%.*s ", (int)it->len, (const char *)data);
			} else if (it->kind == DVM_I_INT) {
				assert_int_equal(v->kind, DT_VAL_INT);
				memcpy(&num, data, 8);
				*at += snprintf(*at, (size_t)(end - *at), v->is_signed ? "%lld " : "%llu ", (long long)num);
			} else {
				assert_int_equal(v->kind, DT_VAL_BYTES);
				assert_int_equal(v->bytes, it->len);
				for (uint32_t k = 0; k < it->len; k++)
					*at += snprintf(*at, (size_t)(end - *at), "%02x", ((const unsigned char *)data)[k]);
				*at += snprintf(*at, (size_t)(end - *at), " ");
			}
		}
	}
	if (*at > r->out && (*at)[-1] == ' ')
		--*at;
	*at += snprintf(*at, (size_t)(end - *at), "\n");
}

/* Fires probes by name, "BEGIN BEGIN END", and returns the records as text. */
static inline const char *d_fire(struct d_run *r, const char *names)
{
	static const struct dvm_ops ops = {
		.copyin = d_copyin, .copyout = d_copyout, .copyinstr = d_copyinstr, .builtin = d_builtin,
	};
	struct dvm_event ev = {
		.ops = &ops, .arg = { 7, (uint64_t)(uintptr_t)d_guest_mem, (uint64_t)-1, 0x123456789abcull, 4 }, .timestamp = 5000000000ull,
		.pid = 42, .tid = 43, .zpid = 2, .ztid = 3, .ppid = 1, .error = 2, .cpu = 1, .execname = "top", .zonename = "web",
		.lxhow = "pass",
	};
	struct dvm_opts o;
	char *at = r->out, *end = r->out + sizeof(r->out), *name, *save, list[256];
	static _Alignas(16) char buf[1 << 16];
	void *arena, *scratch;
	struct dvm m;
	size_t size, need, ss;
	long n;

	dvm_opts_default(&o);
	o.bufsize = 1 << 16;
	o.aggsize = 1 << 16;
	o.destructive = 1;
	o.strsize = (uint32_t)r->opts.val[DT_OPT_STRSIZE];
	size = dvm_arena_size(r->img, &o);
	arena = aligned_alloc(64, (size + 63) & ~(size_t)63);
	memset(arena, 0, size);
	ss = dvm_scratch_size(r->img, &o);
	scratch = aligned_alloc(64, (ss + 63) & ~(size_t)63);
	memset(scratch, 0, ss);
	assert_int_equal(dvm_arena_init(arena, size, r->img, &o), 0);
	assert_int_equal(dvm_open(&m, r->img, &o, arena, size), 0);
	snprintf(list, sizeof(list), "%s", names);
	r->out[0] = 0;
	for (name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		const struct dvm_probe *p = (const void *)((const char *)r->img + r->img->probes.off);
		const char *strtab = (const char *)r->img + r->img->strtab.off;

		if (strcmp(name, "BEGIN"))
			dvm_set_activity(&m, strcmp(name, "END") ? DVM_ACTIVE : DVM_STOPPED);
		for (uint32_t i = 0; i < r->img->probes.count; i++)
			if (!strcmp(strtab + p[i].name, name) || !strcmp(strtab + p[i].func, name))
				dvm_fire(&m, scratch, i, &ev);
	}
	while ((n = dvm_buf_read(&m, buf, sizeof(buf), &need)) > 0)
		d_show(r, (const struct dvm_rec *)(const void *)buf, &at, end);
	free(arena);
	free(scratch);
	return r->out;
}

/* Compiles, fires BEGIN, compares. */
static inline void d_expect(const char *text, const char *want)
{
	struct d_run *r = calloc(1, sizeof(*r));

	if (d_compile(r, text) < 0) {
		print_error("%s\n", text);
		fail_msg("[%s] %s", r->e.tag, r->e.msg);
	}
	d_fire(r, "BEGIN");
	if (strcmp(r->out, want))
		print_error("program: %s\n", text);
	assert_string_equal(r->out, want);
	d_free(r);
	free(r);
}

/* The value of an expression, as trace() records it. */
static inline void d_value(const char *expr, const char *want)
{
	char text[4096], line[4096];

	snprintf(text, sizeof(text), "BEGIN { trace(%s); }", expr);
	snprintf(line, sizeof(line), "%s\n", want);
	d_expect(text, line);
}

/* Compiling fails with that tag; the message has that text in it. */
static inline void d_error(const char *text, const char *tag, const char *msg)
{
	struct d_run *r = calloc(1, sizeof(*r));

	if (d_compile(r, text) == 0) {
		print_error("%s\n", text);
		fail_msg("compiled; wanted [%s]", tag);
	}
	if (strcmp(r->e.tag, tag) || !strstr(r->e.msg, msg)) {
		print_error("%s\n", text);
		fail_msg("[%s] %s; wanted [%s] %s", r->e.tag, r->e.msg, tag, msg);
	}
	d_free(r);
	free(r);
}

#endif
