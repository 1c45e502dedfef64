/* What happens with one record: the header, then its actions in order, each taking its items. Items come from a buffer that
 * others can write to; they were checked for shape, so anything may be missing or of another kind, but nothing runs over. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "dtrace/consumer_impl.h"
#include "dtrace/format.h"

static const void *section(const struct dvm_image *img, const struct dvm_sect *s)
{
	return (const char *)img + s->off;
}

static const char *str(const struct dvm_image *img, uint32_t off)
{
	return off < img->strtab.count ? (const char *)section(img, &img->strtab) + off : "";
}

static const struct dvm_probe *probe_of(const struct dt_consumer *c, const struct dvm_rec *r)
{
	return (const struct dvm_probe *)section(c->img, &c->img->probes) + r->probe;
}

/* ---- The header of a record ---- */

enum flow { FLOW_NONE, FLOW_ENTRY, FLOW_RETURN };

static void print_heading(struct dt_consumer *c)
{
	FILE *out = c->print.out;

	if (c->heading)
		return;
	c->heading = true;
	if (c->opts->val[DT_OPT_FLOWINDENT]) {
		if (!c->testing)
			fprintf(out, "%3s ", "CPU");
		fprintf(out, "%-41s\n", "FUNCTION");
	} else if (!c->print.quiet) {
		if (!c->testing)
			fprintf(out, "%3s %6s ", "CPU", "ID");
		fprintf(out, "%32s\n", "FUNCTION:NAME");
	}
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), t = strlen(tail);

	return n >= t && !strcmp(s + n - t, tail);
}

static void print_flow(struct dt_consumer *c, const struct dvm_rec *r, const struct dvm_probe *p)
{
	static const char *const mark[2][3] = { { " | ", " -> ", " <- " }, { " | ", " => ", " <= " } };
	const char *name = str(c->img, p->name), *func = str(c->img, p->func);
	bool call = p->kind == DVM_P_SYSCALL_ENTRY || p->kind == DVM_P_SYSCALL_RETURN;
	enum flow flow = FLOW_NONE;
	char text[512];

	if (!strcmp(name, "entry") || ends_with(name, "-entry"))
		flow = FLOW_ENTRY;
	else if (!strcmp(name, "return") || ends_with(name, "-return"))
		flow = FLOW_RETURN;
	if (flow == FLOW_ENTRY && c->flow_last == p->id)
		flow = FLOW_NONE; /* another clause of the same firing */
	if (flow == FLOW_RETURN && c->flow_indent > 0)
		c->flow_indent -= 2;
	snprintf(text, sizeof(text), "%*s%s%s%s%s", c->flow_indent, "", mark[call][flow], func, flow == FLOW_NONE ? ":" : "",
		 flow == FLOW_NONE ? name : "");
	if (!c->testing)
		fprintf(c->print.out, "%3d ", r->cpu);
	fprintf(c->print.out, "%-41s ", text);
	if (flow == FLOW_ENTRY && c->flow_indent < 200)
		c->flow_indent += 2;
	c->flow_last = p->id;
}

static void print_record_head(struct dt_consumer *c, const struct dvm_rec *r)
{
	const struct dvm_probe *p = probe_of(c, r);
	FILE *out = c->print.out;
	char name[512];

	print_heading(c);
	if (c->opts->val[DT_OPT_FLOWINDENT]) {
		print_flow(c, r, p);
		return;
	}
	if (c->print.quiet)
		return;
	snprintf(name, sizeof(name), "%s:%s", str(c->img, p->func), str(c->img, p->name));
	if (!c->testing)
		fprintf(out, "%3d %6u ", r->cpu, p->id);
	fprintf(out, "%32s ", name);
}

/* ---- Faults ---- */

static void print_error(const struct dt_consumer *c, const struct dvm_rec *r)
{
	const struct dvm_clause *cl = (const struct dvm_clause *)section(c->img, &c->img->clauses) + r->clause;
	const struct dvm_probe *p = probe_of(c, r);
	char details[40] = "";

	switch (r->fault) {
	case DVM_FLT_BADADDR:
		if (r->addr == UINT64_MAX)
			break;
		/* fallthrough */
	case DVM_FLT_BADALIGN:
	case DVM_FLT_BADSTACK:
	case DVM_FLT_BADSIZE:
		snprintf(details, sizeof(details), " (0x%" PRIx64 ")", r->addr);
		break;
	case DVM_FLT_BADINDEX:
		snprintf(details, sizeof(details), " (%" PRId64 ")", (int64_t)r->addr);
		break;
	default:
		break;
	}
	fprintf(stderr, "dtrace: error in %s for probe ID %u (%s:%s:%s:%s): %s%s at DIF offset %u\n", str(c->img, cl->name), p->id,
		str(c->img, p->prov), str(c->img, p->mod), str(c->img, p->func), str(c->img, p->name),
		r->fault < DVM_NFAULTS ? dvm_fault_text(r->fault) : "unknown fault", details, r->offset);
}

static void library_error(const struct dt_consumer *c, const struct dvm_rec *r, const char *what)
{
	const struct dvm_clause *cl = (const struct dvm_clause *)section(c->img, &c->img->clauses) + r->clause;
	const struct dvm_probe *p = probe_of(c, r);

	fprintf(stderr, "dtrace: error in %s for probe ID %u (%s:%s:%s:%s): %s\n", str(c->img, cl->name), p->id, str(c->img, p->prov),
		str(c->img, p->mod), str(c->img, p->func), str(c->img, p->name), what);
}

/* ---- Actions ---- */

/* A datum's text as a C string; the caller frees it. NULL: no memory. */
static char *datum_strdup(const struct dt_datum *d)
{
	size_t len;
	const char *s = dt_datum_bytes(d, &len);

	return strndup(s, len);
}

/* Text of a format; the caller frees it. */
static char *format_text(struct dt_consumer *c, const struct dt_act *a, const struct dt_datum *d)
{
	struct dt_print p = c->print;
	char *text = NULL;
	size_t len;

	p.out = open_memstream(&text, &len);
	if (!p.out)
		return NULL;
	if (a->fmt)
		dt_fmt_print(&p, a->fmt, d, a->nval, NULL, 0);
	fclose(p.out);
	return text;
}

static void act_system(struct dt_consumer *c, const struct dt_act *a, const struct dt_datum *d)
{
	char *cmd = format_text(c, a, d);

	fflush(c->print.out); /* what was printed before comes before the command's output */
	if (cmd && system(cmd) < 0)
		fprintf(stderr, "dtrace: system(): %s\n", strerror(errno));
	free(cmd);
}

/* freopen("") goes back to the first output. */
static void act_freopen(struct dt_consumer *c, const struct dvm_rec *r, const struct dt_act *a, const struct dt_datum *d)
{
	_cleanup_free_ char *path = format_text(c, a, d);
	FILE *out = c->print.out, *f = NULL;
	char what[600];

	if (!path)
		return;
	fflush(out);
	if (!*path) {
		if (c->stdout_fd >= 0)
			dup2(c->stdout_fd, fileno(out));
		return;
	}
	f = fopen(path, "ae");
	if (!f) {
		snprintf(what, sizeof(what), "couldn't freopen() \"%.400s\": %s", path, strerror(errno));
		library_error(c, r, what);
		return;
	}
	if (c->stdout_fd < 0)
		c->stdout_fd = dup(fileno(out));
	if (c->stdout_fd >= 0)
		dup2(fileno(f), fileno(out));
	fclose(f);
}

static void act_ftruncate(struct dt_consumer *c)
{
	fflush(c->print.out);
	if (ftruncate(fileno(c->print.out), 0) == 0)
		fseeko(c->print.out, 0, SEEK_SET);
}

static void act_setopt(struct dt_consumer *c, const struct dvm_rec *r, const struct dt_act *a, const struct dt_datum *d)
{
	_cleanup_free_ char *name = a->nval ? datum_strdup(&d[0]) : NULL, *value = NULL;
	char what[700];
	struct err e = { 0 };
	int ret;

	if (!name)
		return;
	if (a->nval > 1)
		value = datum_strdup(&d[1]);
	if (dt_opt_dynamic(name)) {
		ret = dt_opt_set(c->opts, name, value, &e);
	} else {
		struct dt_opts probe;

		dt_opts_init(&probe);
		ret = dt_opt_set(&probe, name, value, &e);
		dt_opts_free(&probe);
		if (ret == 0)
			ret = err_msg(&e, EINVAL, "Operation illegal when tracing is active");
	}
	if (ret < 0) {
		snprintf(what, sizeof(what), "couldn't set option \"%.200s\" to \"%.200s\": %.200s", name, value ? value : "1", e.msg);
		library_error(c, r, what);
	}
	c->print.quiet = c->opts->val[DT_OPT_QUIET];
	c->print.rawbytes = c->opts->val[DT_OPT_RAWBYTES];
	c->print.stackindent = (unsigned)(c->opts->val[DT_OPT_STACKINDENT] % 1000);
}

static void act_tracemem(struct dt_consumer *c, const struct dt_act *a, const struct dt_datum *d)
{
	size_t len;
	const char *s = dt_datum_bytes(&d[0], &len);

	if (d[0].it)
		len = d[0].it->len;
	if (a->nval > 1) {
		int64_t n = dt_datum_int(&d[1]);

		if (n >= 0 && (uint64_t)n < len)
			len = (size_t)n;
	}
	dt_print_rawbytes(&c->print, s, len);
}

static void do_action(struct dt_consumer *c, const struct dvm_rec *r, const struct dt_act *a, const struct dt_datum *d)
{
	uint32_t agg = a->nagg ? a->agg[0] : 0;
	bool has_agg = a->nagg && agg < c->aggs.naggs;

	switch ((enum dt_actkind)a->kind) {
	case DT_ACT_TRACE:
	case DT_ACT_PRINT:
		if (a->nval)
			dt_print_trace(&c->print, &d[0]);
		break;
	case DT_ACT_PRINTF:
		if (a->fmt)
			dt_fmt_print(&c->print, a->fmt, d, a->nval, NULL, 0);
		break;
	case DT_ACT_PRINTA:
		agg_printa(&c->aggs, &c->print, c->opts, a->fmt, a->agg, a->nagg);
		break;
	case DT_ACT_CLEAR:
		if (has_agg)
			agg_store_clear(&c->aggs, agg);
		break;
	case DT_ACT_TRUNC:
		if (has_agg)
			agg_store_trunc(&c->aggs, agg, a->nval ? dt_datum_int(&d[0]) : 0);
		break;
	case DT_ACT_NORMALIZE:
		if (has_agg && a->nval)
			c->aggs.meta[agg].normal = dt_datum_int(&d[0]);
		break;
	case DT_ACT_DENORMALIZE:
		if (has_agg)
			c->aggs.meta[agg].normal = 1;
		break;
	case DT_ACT_EXIT:
		if (a->nval)
			c->status = (int)dt_datum_int(&d[0]);
		c->exited = true;
		break;
	case DT_ACT_TRACEMEM:
		if (a->nval)
			act_tracemem(c, a, d);
		break;
	case DT_ACT_USTACK:
		if (a->nval)
			dt_print_ustack(&c->print, &d[0], c->print.stackindent);
		break;
	case DT_ACT_SYSTEM:
		act_system(c, a, d);
		break;
	case DT_ACT_FREOPEN:
		act_freopen(c, r, a, d);
		break;
	case DT_ACT_FTRUNCATE:
		act_ftruncate(c);
		break;
	case DT_ACT_SETOPT:
		act_setopt(c, r, a, d);
		break;
	case DT_ACT_SPECULATE:
	case DT_ACT_COMMIT:
	case DT_ACT_DISCARD:
		break; /* the machine's own: they leave nothing to show */
	}
}

void record_consume(struct dt_consumer *c, const struct session *s, const struct dvm_rec *r)
{
	const struct dt_clausemeta *cl;
	size_t pos = sizeof(*r);
	struct dt_datum *d = NULL;
	uint32_t max = 0;

	if (r->clause >= c->nclauses || r->probe >= c->img->probes.count)
		return;
	if (!s->control && probe_is_shared(probe_of(c, r)->kind))
		return; /* the session in control says the same */
	if (r->kind == DVM_REC_ERROR) {
		print_error(c, r);
		return;
	}
	cl = &c->clauses[r->clause];
	for (uint32_t i = 0; i < cl->nact; i++)
		max = cl->act[i].nval > max ? cl->act[i].nval : max;
	if (max && !(d = calloc(max, sizeof(*d))))
		return;
	print_record_head(c, r);
	for (uint32_t i = 0; i < cl->nact; i++) {
		for (uint32_t k = 0; k < cl->act[i].nval; k++) {
			d[k].v = &cl->act[i].val[k];
			d[k].it = dvm_item_next(r, r->len, &pos);
		}
		do_action(c, r, &cl->act[i], d);
	}
	free(d);
	if (!c->print.quiet)
		putc('\n', c->print.out);
}

bool record_needs_aggs(const struct dt_consumer *c, const struct dvm_rec *r)
{
	const struct dt_clausemeta *cl;

	if (r->kind != DVM_REC_DATA || r->clause >= c->nclauses)
		return false;
	cl = &c->clauses[r->clause];
	for (uint32_t i = 0; i < cl->nact; i++) {
		if (cl->act[i].nagg)
			return true;
	}
	return false;
}
