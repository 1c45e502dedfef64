/* A session's program: its image is copied out of the consumer's memfd (which could still change) and verified, its arena
 * made by us (so that nobody can shrink it under us), and its probes are sorted so that a call finds its own at once. */
#include "emul/holder_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host/cleanup.h"

#define IMAGE_MAX (64u << 20)
#define ARENA_MAX (1ul << 30)
#define TICK_MIN_NS 100000u /* the fastest tick that we serve */

/* A private copy of the image. */
static int image_copy(struct session *s, int fd, size_t *len, struct err *e)
{
	_cleanup_free_ char *buf = NULL;
	struct stat sb;
	size_t done = 0;

	if (fstat(fd, &sb) < 0 || !S_ISREG(sb.st_mode))
		return err_msg(e, EINVAL, "the program is not in a memory file");
	if (sb.st_size < (off_t)sizeof(struct dvm_image) || sb.st_size > (off_t)IMAGE_MAX)
		return err_msg(e, EINVAL, "the program has a bad size (%lld bytes)", (long long)sb.st_size);
	*len = (size_t)sb.st_size;
	buf = malloc(*len);
	if (!buf)
		return err_set(e, ENOMEM, "program of %zu bytes", *len);
	while (done < *len) {
		ssize_t n = pread(fd, buf + done, *len - done, (off_t)done);

		if (n <= 0)
			return err_msg(e, EIO, "the program could not be read");
		done += (size_t)n;
	}
	s->img = (struct dvm_image *)buf;
	buf = NULL;
	return 0;
}

static int arena_make(struct session *s, int *arena_fd, struct err *e)
{
	_cleanup_close_ int fd = -1;

	s->arena_size = dvm_arena_size(s->img, &s->opts);
	if (!s->arena_size || s->arena_size > ARENA_MAX)
		return err_msg(e, EINVAL, "buffer sizes are out of range (bufsize, aggsize, dynvarsize: at most 1g together)");
	fd = memfd_create("lxzone-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)s->arena_size) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return err_set(e, errno, "memory for the session's buffers");
	s->arena = mmap(NULL, s->arena_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s->arena == MAP_FAILED) {
		s->arena = NULL;
		return err_set(e, errno, "memory for the session's buffers");
	}
	s->scratch = calloc(1, dvm_scratch_size(s->img, &s->opts));
	if (!s->scratch)
		return err_set(e, ENOMEM, "working memory");
	if (dvm_arena_init(s->arena, s->arena_size, s->img, &s->opts) < 0 ||
	    dvm_open(&s->m, s->img, &s->opts, s->arena, s->arena_size) < 0)
		return err_msg(e, EINVAL, "the session's buffers could not be laid out");
	*arena_fd = steal_fd(&fd);
	return 0;
}

static uint8_t insn_needs(struct session *s, const struct dvm_insn *in)
{
	switch (in->op) {
	case DVM_RINT:
	case DVM_RSTR:
	case DVM_RBYTES:
	case DVM_EXIT:
		return SES_N_CPU;
	case DVM_BUILTIN:
		break;
	default:
		return 0;
	}
	switch (in->imm) {
	case DVM_B_CPU:
		return SES_N_CPU;
	case DVM_B_EXECNAME:
		return SES_N_COMM;
	case DVM_B_ZPID:
	case DVM_B_ZTID:
		return SES_N_ZID;
	case DVM_B_PPID:
		return SES_N_PPID;
	case DVM_B_VTIMESTAMP:
		s->vtime = true;
		return 0;
	default:
		return 0;
	}
}

/* What each probe's clauses read of the thread, so that the rest is not gathered when it fires. */
static int program_needs(struct session *s, struct err *e)
{
	const char *base = (const char *)s->img;
	const struct dvm_insn *in = (const void *)(base + s->img->insns.off);
	const struct dvm_clause *c = (const void *)(base + s->img->clauses.off);
	const struct dvm_probe *p = (const void *)(base + s->img->probes.off);
	const uint32_t *enabling = (const void *)(base + s->img->enablings.off);
	_cleanup_free_ uint8_t *clause = calloc(s->img->clauses.count + 1, 1);
	uint8_t error = 0;

	s->needs = calloc(s->img->probes.count + 1, 1);
	if (!clause || !s->needs)
		return err_set(e, ENOMEM, "table of probes");
	for (uint32_t i = 0; i < s->img->clauses.count; i++) {
		clause[i] = c[i].flags & DVM_CL_RECORD ? SES_N_CPU : 0;
		for (uint32_t k = 0; k < c[i].ninsn; k++)
			clause[i] |= insn_needs(s, &in[c[i].insn + k]);
	}
	for (uint32_t i = 0; i < s->img->probes.count; i++) {
		for (uint32_t k = 0; k < p[i].nenabling; k++)
			s->needs[i] |= clause[enabling[p[i].enabling + k]];
		if (p[i].kind == DVM_P_ERROR)
			error |= s->needs[i];
	}
	for (uint32_t i = 0; i < s->img->probes.count; i++)
		s->needs[i] |= error; /* any of them may fault, and ERROR sees the same thread */
	return 0;
}

static void call_probe_add(struct session *s, uint32_t i, const struct dvm_probe *p)
{
	uint32_t *at = &s->probe[p->kind == DVM_P_SYSCALL_RETURN][p->abi][p->row];

	while (*at)
		at = &s->next[*at - 1];
	*at = i + 1;
}

static int probes_sort(struct session *s, struct err *e)
{
	const struct dvm_probe *p = (const void *)((const char *)s->img + s->img->probes.off);
	uint32_t n = s->img->probes.count;

	for (unsigned i = 0; i < 2 * LX_NABI; i++) {
		s->probe[i / LX_NABI][i % LX_NABI] = calloc(lx_nrows, sizeof(uint32_t));
		if (!s->probe[i / LX_NABI][i % LX_NABI])
			return err_set(e, ENOMEM, "table of probes");
	}
	s->next = calloc(n + 1, sizeof(*s->next));
	s->tick = calloc(n + 1, sizeof(*s->tick));
	if (!s->next || !s->tick)
		return err_set(e, ENOMEM, "table of probes");
	for (uint32_t i = 0; i < n; i++) {
		if (!p[i].nenabling)
			continue;
		switch (p[i].kind) {
		case DVM_P_SYSCALL_ENTRY:
		case DVM_P_SYSCALL_RETURN:
			if (p[i].abi >= LX_NABI || p[i].row >= lx_nrows)
				return err_msg(e, EINVAL, "the program names a system call that does not exist");
			call_probe_add(s, i, &p[i]);
			break;
		case DVM_P_TICK:
		case DVM_P_PROFILE:
			s->tick[s->ntick].probe = i;
			s->tick[s->ntick++].period = p[i].period_ns < TICK_MIN_NS ? TICK_MIN_NS : p[i].period_ns;
			break;
		default:
			break;
		}
	}
	return 0;
}

int session_load(struct session *s, int image_fd, const struct dvm_opts *opts, int *arena_fd, struct err *e)
{
	char why[128] = "";
	size_t len = 0;
	int r;

	s->opts = *opts;
	r = image_copy(s, image_fd, &len, e);
	if (r < 0)
		return r;
	if (dvm_verify(s->img, len, why, sizeof(why)) < 0)
		return err_msg(e, EINVAL, "the program was refused: %s", why);
	r = program_needs(s, e);
	if (r == 0)
		r = probes_sort(s, e);
	return r < 0 ? r : arena_make(s, arena_fd, e);
}

void session_unload(struct session *s)
{
	if (s->arena)
		munmap(s->arena, s->arena_size);
	for (unsigned i = 0; i < 2 * LX_NABI; i++)
		free(s->probe[i / LX_NABI][i % LX_NABI]);
	free(s->needs);
	free(s->next);
	free(s->tick);
	free(s->scratch);
	free(s->img);
}
