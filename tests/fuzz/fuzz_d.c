/* Any text is compiled or refused; what compiles, the verifier accepts, and one firing of BEGIN ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/program.h"
#include "dvm/dvm.h"
#include "tests/fuzz/fuzz.h"

static void fire(const struct dvm_image *img, const struct dt_opts *opts)
{
	static const struct dvm_ops ops;
	struct dvm_event ev = { .ops = &ops, .execname = "fuzz", .zonename = "global", .lxhow = "" };
	const struct dvm_probe *p = (const void *)((const char *)img + img->probes.off);
	size_t size, ssize;
	struct dvm_opts o;
	void *arena, *scratch;
	struct dvm m;

	dvm_opts_default(&o);
	o.bufsize = o.aggsize = o.dynvarsize = o.scratchsize = 1 << 16;
	o.strsize = (uint32_t)opts->val[DT_OPT_STRSIZE];
	size = dvm_arena_size(img, &o);
	ssize = dvm_scratch_size(img, &o);
	if (!size || size > 16u << 20 || ssize > 16u << 20)
		return;
	arena = aligned_alloc(64, (size + 63) & ~(size_t)63);
	scratch = aligned_alloc(64, (ssize + 63) & ~(size_t)63);
	if (!arena || !scratch)
		abort();
	memset(arena, 0, size);
	memset(scratch, 0, ssize);
	if (!dvm_arena_init(arena, size, img, &o) && !dvm_open(&m, img, &o, arena, size))
		for (uint32_t i = 0; i < img->probes.count && i < 8; i++)
			if (p[i].kind == DVM_P_BEGIN)
				dvm_fire(&m, scratch, i, &ev);
	free(arena);
	free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *argv[] = { "fuzz", "12", "a \"b\"", "name" }, *text = malloc(len + 1), why[256];
	struct dt_source src = { .argc = 4, .argv = argv, .target = 1 };
	struct dvm_image *img;
	struct dt_probes *ps;
	struct dt_prog *prog;
	struct dt_opts opts;
	struct err e = { 0 };
	size_t size;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	src.text = text;
	dt_opts_init(&opts);
	opts.val[DT_OPT_ARGREF] = 1;
	ps = dt_probes_new();
	prog = dt_prog_new(ps, &opts);
	if (!ps || !prog)
		abort();
	if (!dt_compile(prog, &src, NULL, &e) && !dt_prog_image(prog, &img, &size, &e)) {
		if (dvm_verify(img, size, why, sizeof(why)) < 0) {
			fprintf(stderr, "dvm_verify: %s\n", why);
			abort();
		}
		fire(img, &opts);
		free(img);
	} else if (!e.msg[0] || !e.tag[0]) {
		fprintf(stderr, "an error without a message or tag: %s\n", e.msg);
		abort();
	}
	dt_prog_free(prog);
	dt_probes_free(ps);
	dt_opts_free(&opts);
	free(text);
	return 0;
}
