/* The plan of a zone: root, kernel file systems, devices, volumes, names; see plan.h. The default root's part is in
 * plan_default.c, the execution in plan_run.c. */
#include "brand/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "brand/plan_impl.h"
#include "common/host/cleanup.h"
#include "common/host/rundir.h"

static char *dup_or_null(struct plan_maker *k, const char *s)
{
	char *r = s ? strdup(s) : NULL;

	if (s && !r)
		k->failed = err_set(k->e, ENOMEM, "plan");
	return r;
}

void plan_add(struct plan_maker *k, enum zone_op op, const char *src, const char *dst, const char *data, mode_t mode)
{
	struct zone_plan *p = k->plan;
	struct zone_step *s;

	if (k->failed)
		return;
	s = reallocarray(p->step, p->nsteps + 1, sizeof(*s));
	if (!s) {
		k->failed = err_set(k->e, ENOMEM, "plan");
		return;
	}
	p->step = s;
	s = &p->step[p->nsteps++];
	*s = (struct zone_step){.op = op, .mode = mode};
	s->src = dup_or_null(k, src);
	s->dst = dup_or_null(k, dst);
	s->data = dup_or_null(k, data);
}

void plan_attach(struct plan_maker *k, const struct zone_source *src, const char *dst)
{
	struct zone_plan *p = k->plan;

	if (k->failed)
		return;
	if (p->nsources == ZONE_PLAN_SOURCES) {
		k->failed = err_msg(k->e, E2BIG, "more than %d host directories in one zone", ZONE_PLAN_SOURCES);
		return;
	}
	plan_add(k, ZONE_OP_ATTACH, src->path, dst, NULL, 0);
	if (k->failed)
		return;
	p->source[p->nsources] = *src;
	p->source[p->nsources].fd = -1;
	p->source[p->nsources].path = dup_or_null(k, src->path);
	p->step[p->nsteps - 1].source = p->nsources++;
	p->step[p->nsteps - 1].optional = src->optional;
}

bool plan_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || path[n] == '\0');
}

bool plan_hide_state(struct plan_maker *k, const char *host, const char *guest)
{
	_cleanup_free_ char *path = NULL;

	if (plan_is_below(host, k->rundir))
		return false;
	if (!plan_is_below(k->rundir, strcmp(host, "/") ? host : ""))
		return true;
	if (asprintf(&path, "%s%s", guest, k->rundir + (strcmp(host, "/") ? strlen(host) : 0)) < 0) {
		path = NULL;
		k->failed = err_set(k->e, ENOMEM, "plan");
		return true;
	}
	plan_add(k, ZONE_OP_TMPFS, NULL, path, "mode=0700,size=4k", 0);
	return true;
}

static void plan_dev(struct plan_maker *k)
{
	static const char *const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
	static const char *const links[][2] = {
		{"/proc/self/fd", "/dev/fd"},       {"/proc/self/fd/0", "/dev/stdin"}, {"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"}, {"pts/ptmx", "/dev/ptmx"},
	};
	char path[32];

	/* 0755: in a sticky directory that others may write, opening a node of another owner with O_CREAT is refused. */
	plan_add(k, ZONE_OP_TMPFS, NULL, "/dev", "mode=0755,size=64k,nr_inodes=64", 0);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct zone_source s = {.path = path};

		snprintf(path, sizeof(path), "/dev/%s", nodes[i]);
		plan_attach(k, &s, path);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		plan_add(k, ZONE_OP_SYMLINK, links[i][0], links[i][1], NULL, 0);
	plan_add(k, ZONE_OP_MKDIR, NULL, "/dev/pts", NULL, 0755);
	plan_add(k, ZONE_OP_DEVPTS, NULL, "/dev/pts",
		 k->idmap->mode == ZONE_ID_SINGLE ? "newinstance,ptmxmode=0666,mode=0620" : "newinstance,ptmxmode=0666,mode=0620,gid=5", 0);
	plan_add(k, ZONE_OP_MKDIR, NULL, "/dev/shm", NULL, 0755);
	plan_add(k, ZONE_OP_TMPFS, NULL, "/dev/shm", "mode=1777", 0);
	plan_add(k, ZONE_OP_MKDIR, NULL, "/dev/mqueue", NULL, 0755);
	plan_add(k, ZONE_OP_MQUEUE, NULL, "/dev/mqueue", NULL, 0);
}

static void plan_kernel(struct plan_maker *k)
{
	/* With the host's ids, the kernel's own settings would be the guest's to write. */
	static const char *const guarded[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"};

	plan_add(k, ZONE_OP_PROC, NULL, "/proc", NULL, 0);
	plan_add(k, ZONE_OP_SYSFS, NULL, "/sys", NULL, 0);
	if (k->idmap->mode == ZONE_ID_IDENTITY)
		for (size_t i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++)
			plan_add(k, ZONE_OP_READONLY, NULL, guarded[i], NULL, 0);
}

/* What /proc says of the kernel's version; not for guests that mount a /proc of their own, which a covered one forbids. */
static void plan_views(struct plan_maker *k)
{
	const struct brand_settings *s = k->settings;
	char text[200];

	if (!s->world.release[0] || s->proc_plain)
		return;
	snprintf(text, sizeof(text), "%s\n", s->world.release);
	plan_add(k, ZONE_OP_COVER, text, "/proc/sys/kernel/osrelease", NULL, 0444);
	snprintf(text, sizeof(text), "Linux version %s (lxzone@localhost) (gcc) #1 SMP\n", s->world.release);
	plan_add(k, ZONE_OP_COVER, text, "/proc/version", NULL, 0444);
}

static void plan_volumes(struct plan_maker *k)
{
	const struct zone_config *c = k->config;

	for (size_t i = 0; i < c->nvol; i++) {
		struct zone_source s = {.path = c->vol[i].host, .recursive = true, .readonly = !c->vol[i].writable, .nodev = true,
					.idmap = true};

		plan_attach(k, &s, c->vol[i].guest);
		if (!plan_hide_state(k, c->vol[i].host, c->vol[i].guest) && !k->failed)
			k->failed = err_msg(k->e, EINVAL, "-v %s: this is Lxzone's own state", c->vol[i].host);
	}
}

static void plan_names(struct plan_maker *k)
{
	const struct brand_settings *s = k->settings;
	const char *host = s->hostname[0] ? s->hostname : k->config->name;
	char groups[32] = "0 65535";

	if (host)
		plan_add(k, ZONE_OP_HOSTNAME, host, NULL, NULL, 0);
	if (s->domainname[0])
		plan_add(k, ZONE_OP_DOMAINNAME, s->domainname, NULL, NULL, 0);
	plan_add(k, ZONE_OP_LOOPBACK, NULL, NULL, NULL, 0);
	/* Guests may ping: every group that exists in the zone. */
	if (k->idmap->mode == ZONE_ID_SINGLE)
		snprintf(groups, sizeof(groups), "%u %u", k->idmap->gid_inside, k->idmap->gid_inside);
	plan_add(k, ZONE_OP_WRITE, groups, "/proc/sys/net/ipv4/ping_group_range", NULL, 0);
	if (s->world.cpus)
		plan_add(k, ZONE_OP_CPUS, NULL, NULL, NULL, 0);
}

int zone_plan_make(const struct zone_config *c, const struct brand_settings *s, const struct zone_idmap *m, struct zone_plan *p,
		   struct err *e)
{
	struct plan_maker k = {.config = c, .settings = s, .idmap = m, .plan = p, .e = e};
	int rundir = rundir_open(k.rundir, e);

	if (rundir < 0)
		return rundir;
	close(rundir);

	memset(p, 0, sizeof(*p));
	p->outside = m->mode != ZONE_ID_SINGLE;
	p->world = s->world;
	plan_add(&k, ZONE_OP_PRIVATE, NULL, "/", NULL, 0);
	plan_add(&k, ZONE_OP_TMPFS, NULL, PLAN_STAGE, "mode=0755", 0);
	plan_add(&k, ZONE_OP_MKDIR, NULL, PLAN_STAGE "/root", NULL, 0755);
	if (c->root) {
		struct zone_source src = {.path = c->root, .recursive = true, .nodev = true, .idmap = true};

		plan_attach(&k, &src, PLAN_STAGE "/root");
	} else {
		plan_default_root(&k);
	}
	plan_add(&k, ZONE_OP_PIVOT, NULL, PLAN_STAGE "/root", NULL, 0);
	plan_kernel(&k);
	plan_add(&k, ZONE_OP_TMPFS, NULL, "/tmp", "mode=1777", 0);
	if (!c->root)
		plan_default_homes(&k);
	plan_dev(&k);
	plan_views(&k);
	plan_volumes(&k);
	plan_names(&k);
	plan_add(&k, ZONE_OP_DETACH_OLD, NULL, NULL, NULL, 0);
	if (k.failed)
		zone_plan_free(p);
	return k.failed;
}

void zone_plan_free(struct zone_plan *p)
{
	for (size_t i = 0; i < p->nsteps; i++) {
		free(p->step[i].src);
		free(p->step[i].dst);
		free(p->step[i].data);
	}
	free(p->step);
	for (unsigned i = 0; i < p->nsources; i++) {
		if (p->source[i].fd >= 0)
			close(p->source[i].fd);
		free(p->source[i].path);
	}
	memset(p, 0, sizeof(*p));
}

static void print_attach(const struct zone_plan *p, const struct zone_step *s, FILE *out)
{
	const struct zone_source *src = &p->source[s->source];

	fprintf(out, "attach     %s -> %s%s%s%s\n", s->src, s->dst, src->recursive ? " recursive" : "", src->readonly ? " read-only" : "",
		src->idmap && p->outside ? " idmapped" : "");
}

static void print_step(const struct zone_plan *p, const struct zone_step *s, FILE *out)
{
	switch (s->op) {
	case ZONE_OP_PRIVATE:
		fprintf(out, "private    %s\n", s->dst);
		break;
	case ZONE_OP_TMPFS:
		fprintf(out, "tmpfs      %s %s\n", s->dst, s->data);
		break;
	case ZONE_OP_MKDIR:
		fprintf(out, "mkdir      %s %04o\n", s->dst, s->mode);
		break;
	case ZONE_OP_SYMLINK:
		fprintf(out, "symlink    %s -> %s\n", s->dst, s->src);
		break;
	case ZONE_OP_COVER:
		fprintf(out, "cover      %s: %s", s->dst, s->src);
		break;
	case ZONE_OP_ATTACH:
		print_attach(p, s, out);
		break;
	case ZONE_OP_OVERLAY:
		fprintf(out, "overlay    %s over %s, changes in %s\n", s->dst, s->src, s->data);
		break;
	case ZONE_OP_PROC:
		fprintf(out, "proc       %s\n", s->dst);
		break;
	case ZONE_OP_SYSFS:
		fprintf(out, "sysfs      %s read-only\n", s->dst);
		break;
	case ZONE_OP_DEVPTS:
		fprintf(out, "devpts     %s %s\n", s->dst, s->data);
		break;
	case ZONE_OP_MQUEUE:
		fprintf(out, "mqueue     %s\n", s->dst);
		break;
	case ZONE_OP_PIVOT:
		fprintf(out, "pivot      %s becomes /\n", s->dst);
		break;
	case ZONE_OP_DETACH_OLD:
		fputs("detach     the host's tree\n", out);
		break;
	case ZONE_OP_READONLY:
		fprintf(out, "read-only  %s\n", s->dst);
		break;
	case ZONE_OP_HOSTNAME:
		fprintf(out, "hostname   %s\n", s->src);
		break;
	case ZONE_OP_DOMAINNAME:
		fprintf(out, "domainname %s\n", s->src);
		break;
	case ZONE_OP_LOOPBACK:
		fputs("loopback   up\n", out);
		break;
	case ZONE_OP_WRITE:
		fprintf(out, "write      %s: %s\n", s->dst, s->src);
		break;
	case ZONE_OP_CPUS:
		fprintf(out, "cpus       bound to %u\n", p->world.cpus);
		break;
	}
}

void zone_plan_print(const struct zone_plan *p, FILE *out)
{
	for (size_t i = 0; i < p->nsteps; i++)
		print_step(p, &p->step[i], out);
}
