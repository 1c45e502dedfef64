/* What every program begins with, in D: structures of calls that the table describes by functions of its own, and the
 * process, thread and processor at hand in the form that scripts from elsewhere use. Members without a conversion are
 * known and cannot be had here. */
#include "dtrace/dt_impl.h"

#include <string.h>

static const char text[] =
	"struct iovec { void *iov_base; size_t iov_len; };"
	"struct sys32_iovec { uint32_t iov_base; uint32_t iov_len; };"
	"struct msghdr { void *msg_name; int msg_namelen; struct iovec *msg_iov; size_t msg_iovlen; void *msg_control;"
	" size_t msg_controllen; unsigned int msg_flags; };"
	"struct sys32_msghdr { uint32_t msg_name; int msg_namelen; uint32_t msg_iov; uint32_t msg_iovlen; uint32_t msg_control;"
	" uint32_t msg_controllen; unsigned int msg_flags; };"
	"struct sockaddr { unsigned short sa_family; char sa_data[14]; };"
	"struct in_addr { uint32_t s_addr; };"
	"struct in6_addr { unsigned char s6_addr[16]; };"
	"struct sockaddr_in { unsigned short sin_family; uint16_t sin_port; struct in_addr sin_addr; char sin_zero[8]; };"
	"struct sockaddr_in6 { unsigned short sin6_family; uint16_t sin6_port; uint32_t sin6_flowinfo; struct in6_addr sin6_addr;"
	" uint32_t sin6_scope_id; };"
	"struct sockaddr_un { unsigned short sun_family; char sun_path[108]; };"
	"typedef struct siginfo { int si_signo; int si_errno; int si_code; } siginfo_t;"
	"struct linux_dirent { unsigned long d_ino; unsigned long d_off; unsigned short d_reclen; char d_name[256]; };"
	"struct sys32_linux_dirent { uint32_t d_ino; uint32_t d_off; unsigned short d_reclen; char d_name[256]; };"
	"struct linux_dirent64 { uint64_t d_ino; int64_t d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };"

	"typedef struct psinfo { int pr_nlwp; pid_t pr_pid; pid_t pr_ppid; pid_t pr_pgid; pid_t pr_sid; uid_t pr_uid; uid_t pr_euid;"
	" gid_t pr_gid; gid_t pr_egid; uintptr_t pr_addr; dev_t pr_ttydev; int64_t pr_start; string pr_fname; string pr_psargs;"
	" zoneid_t pr_zoneid; } psinfo_t;"
	"translator psinfo_t < int now > { pr_pid = pid; pr_ppid = ppid; pr_uid = uid; pr_gid = gid; pr_fname = execname; };"
	"inline psinfo_t *curpsinfo = xlate <psinfo_t *> (0);"
	"typedef struct lwpsinfo { int pr_flag; id_t pr_lwpid; uintptr_t pr_addr; char pr_state; char pr_sname; short pr_syscall;"
	" int pr_pri; processorid_t pr_onpro; processorid_t pr_bindpro; } lwpsinfo_t;"
	"translator lwpsinfo_t < int now > { pr_lwpid = tid; pr_onpro = cpu; };"
	"inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (0);"
	"typedef struct cpuinfo { processorid_t cpu_id; psetid_t cpu_pset; chipid_t cpu_chip; lgrp_id_t cpu_lgrp; } cpuinfo_t;"
	"translator cpuinfo_t < int now > { cpu_id = cpu; };"
	"inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (0);";

void dt_prelude(struct dt_cc *c)
{
	static const char *const two[][2] = { /* other layouts for 32-bit guests */
		{ "struct iovec", "struct sys32_iovec" },
		{ "struct msghdr", "struct sys32_msghdr" },
		{ "struct linux_dirent", "struct sys32_linux_dirent" },
	};
	const char *pos = c->pos;
	size_t i;

	c->prelude = true;
	c->pos = text;
	for (dt_lex_top(c); c->tok.kind != DT_TK_EOF; dt_lex_top(c)) {
		dt_parse_decl(c);
		if (c->tok.kind != DT_TK_SEMI)
			dt_syntax(c);
	}
	for (i = 0; i < sizeof(two) / sizeof(*two); i++) {
		struct dt_type *a = dt_type_named(c, two[i][0]), *b = dt_type_named(c, two[i][1]);

		b->name = dt_sprintf(c, "sys32`%s", a->name);
		a->abi[LX_SYS64] = b->abi[LX_SYS64] = a;
		a->abi[LX_SYS32] = b->abi[LX_SYS32] = b;
	}
	c->prelude = false;
	c->pos = pos;
	c->line = 1;
	c->bol = true;
}
