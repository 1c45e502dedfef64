/* What dtrace tells about probes and programs without running them: -l -v and -S. */
#include <stdlib.h>

#include "dtrace/consumer.h"
#include "dvm/dvm.h"

static void print_attributes(FILE *out, const char *what)
{
	fprintf(out, "\n\t%s\n", what);
	fprintf(out, "\t\tIdentifier Names: Evolving\n\t\tData Semantics:   Evolving\n\t\tDependency Class: Common\n");
}

void dt_print_probe_info(FILE *out, const struct dt_probe *p)
{
	const char *type;
	unsigned n = 0;

	print_attributes(out, "Probe Description Attributes");
	print_attributes(out, "Argument Attributes");
	fprintf(out, "\n\tArgument Types\n");
	while (p->provider && p->provider->argtype && (type = p->provider->argtype(p, n)))
		fprintf(out, "\t\targs[%u]: %s\n", n++, type);
	if (!n)
		fprintf(out, "\t\tNone\n");
	fprintf(out, "\n");
}

int dt_list_program(struct dt_prog *prog, struct dt_probes *ps, int (*fn)(const struct dt_probe *p, void *arg), void *arg,
		    struct err *e)
{
	struct dvm_image *img = NULL;
	const struct dvm_probe *p;
	size_t len;
	int r = dt_prog_image(prog, &img, &len, e);

	if (r < 0)
		return r;
	p = (const struct dvm_probe *)(const void *)((const char *)img + img->probes.off);
	for (uint32_t i = 0; r >= 0 && i < img->probes.count; i++) {
		const struct dt_probe *probe = dt_probe_by_id(ps, p[i].id);

		r = probe ? fn(probe, arg) : 0;
	}
	free(img);
	return r;
}

int dt_print_program(FILE *out, struct dt_prog *prog, struct err *e)
{
	struct dvm_image *img = NULL;
	const struct dvm_clause *cl;
	const char *names;
	char line[256];
	size_t len;
	int r = dt_prog_image(prog, &img, &len, e);

	if (r < 0)
		return r;
	cl = (const struct dvm_clause *)(const void *)((const char *)img + img->clauses.off);
	names = (const char *)img + img->strtab.off;
	for (uint32_t i = 0; i < img->clauses.count; i++) {
		fprintf(out, "\n%s:\n%-4s %s\n", names + cl[i].name, "OFF", "INSTRUCTION");
		for (uint32_t k = 0; k < cl[i].ninsn; k++) {
			dvm_disasm(img, cl[i].insn + k, line, sizeof(line));
			fprintf(out, "%04u %s\n", k, line);
		}
	}
	free(img);
	return 0;
}
