/* A consumer that sends a holder whatever the input says: messages of any type, order, size and content, with a program that
 * is sound, cut short or scribbled over, with descriptors that are none of a program, and with stores into the shared arena
 * while the session runs. No process is ever a target: the pids are ones that cannot exist. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emul/holder_impl.h"

struct input {
	const uint8_t *p;
	size_t n;
};

static uint8_t byte(struct input *in)
{
	if (!in->n)
		return 0;
	in->n--;
	return *in->p++;
}

static void bytes(struct input *in, void *dst, size_t n)
{
	size_t have = n < in->n ? n : in->n;

	memset(dst, 0, n);
	memcpy(dst, in->p, have);
	in->p += have;
	in->n -= have;
}

/* BEGIN, END and a call count; one of its bytes may be changed. */
static int program(struct input *in)
{
	struct {
		struct dvm_image head;
		struct dvm_insn insn[4];
		char str[8];
		struct dvm_clause clause[1];
		struct dvm_agg agg[1];
		struct dvm_probe probe[3];
		uint32_t enabling[2];
	} p = { .head = { .magic = DVM_MAGIC, .version = DVM_VERSION, .size = sizeof(p) } };
	int fd = memfd_create("image", MFD_CLOEXEC);
	uint8_t flip = byte(in);
	size_t at, len;

#define SECT(name, member, n) p.head.name = (struct dvm_sect){ (uint32_t)((char *)p.member - (char *)&p), n }
	SECT(insns, insn, 4);
	SECT(consts, str, 0);
	SECT(strtab, str, 8);
	SECT(clauses, clause, 1);
	SECT(vars, str, 0);
	SECT(aggs, agg, 1);
	SECT(probes, probe, 3);
	SECT(enablings, enabling, 1);
	p.insn[0].op = DVM_TRST;
	p.insn[1] = (struct dvm_insn){ DVM_LDI, 1, 0, 0, 1 };
	p.insn[2] = (struct dvm_insn){ DVM_AGG, 0, 1, 1, 0 };
	p.insn[3].op = DVM_RET;
	p.clause[0] = (struct dvm_clause){ .ninsn = 4, .flags = DVM_CL_RECORD };
	p.agg[0] = (struct dvm_agg){ .func = DVM_AGG_COUNT, .ndata = 1 };
	p.probe[0] = (struct dvm_probe){ .id = 1, .kind = DVM_P_BEGIN, .nenabling = 1 };
	p.probe[1] = (struct dvm_probe){ .id = 2, .kind = DVM_P_END, .nenabling = 1 };
	p.probe[2] = (struct dvm_probe){ .id = 3, .kind = DVM_P_SYSCALL_ENTRY, .row = 5, .nenabling = 1 };
	len = flip == 1 ? byte(in) : sizeof(p);
	if (flip & 2) {
		at = (size_t)byte(in) << 8 | byte(in);
		((uint8_t *)&p)[at % sizeof(p)] ^= byte(in);
	}
	if (fd >= 0 && write(fd, &p, len) != (ssize_t)len)
		abort();
	return fd;
}

/* Sends one message; -1: raw bytes. */
static void send_one(struct input *in, int sock)
{
	struct ses_msg m = { .version = SES_VERSION };
	uint8_t type = byte(in);
	int fd = -1;

	if (type & 0x80) {
		bytes(in, &m, type & 0x40 ? sizeof(m) : type & 0x3f);
		send(sock, &m, type & 0x40 ? sizeof(m) : type & 0x3f, MSG_DONTWAIT | MSG_NOSIGNAL);
		return;
	}
	m.type = type & 15;
	if (m.type == SES_OPEN) {
		dvm_opts_default(&m.u.open.opts);
		m.u.open.opts.bufsize = m.u.open.opts.aggsize = m.u.open.opts.dynvarsize = 1 << 16;
		m.u.open.flags = byte(in);
		m.u.open.ntargets = type & 16 ? byte(in) * 3u : 0;
		m.u.open.consumer = getpid();
		if (type & 32)
			bytes(in, &m.u.open.opts, sizeof(m.u.open.opts));
		for (unsigned i = 0; i < SES_MAXTARGETS && i < m.u.open.ntargets; i++)
			m.u.open.target[i] = 0x3fffff00 + byte(in);
		fd = type & 64 ? dup(sock) : program(in);
	}
	ses_send(sock, &m, fd);
	if (fd >= 0)
		close(fd);
}

static void scribble(struct input *in, struct session *s)
{
	if (s->arena && s->arena_size) {
		size_t at = (size_t)byte(in) << 16 | (size_t)byte(in) << 8 | byte(in);

		((uint8_t *)s->arena)[at % s->arena_size] = byte(in);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct holder_conf conf = { .control = -1, .listener = -1 };
	struct eng_conf ec = { 0 };
	struct holder h = { .conf = &conf, .sigfd = -1 };
	struct input in = { data, size };
	struct ses_msg m;
	int sv[2], fd;

	h.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (h.epoll < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		abort();
	eng_init(&h.eng, &ec, -1, &h);
	h.calibrated = true;
	if (session_add(&h, sv[1]) < 0)
		abort();
	for (int i = 0; i < 64 && in.n && !h.session[0]->dead; i++) {
		send_one(&in, sv[0]);
		session_message(h.session[0]);
		if (h.session[0]->state != SES_S_NEW && (byte(&in) & 1))
			scribble(&in, h.session[0]);
		while (recv(sv[0], &m, sizeof(m), MSG_DONTWAIT | MSG_PEEK) > 0 && ses_recv(sv[0], &m, &fd) > 0)
			if (fd >= 0)
				close(fd);
	}
	session_del(&h, h.session[0]);
	eng_fini(&h.eng);
	close(h.epoll);
	close(sv[0]);
	return 0;
}
