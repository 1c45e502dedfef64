/* Runs a command under the filter of a world and nothing else of a zone, to test emulation by itself:
 *   emul_run [-t notify|ptrace] [-r RELEASE] [-d DOMAINNAME] [-c CPUS] [-C FIRST] [-m BYTES] [-u] -- CMD ARGS
 * -u: in user, UTS, PID namespaces of its own with host name "zone". -C: guest CPU 0 is host CPU FIRST. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emul/trap_ptrace.h"

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static void send_fd(int sock, int fd)
{
	char c = 0, buf[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = buf, .msg_controllen = sizeof(buf) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	if (fd < 0)
		m.msg_control = NULL, m.msg_controllen = 0;
	if (sendmsg(sock, &m, 0) != 1)
		die("sendmsg");
}

static int recv_fd(int sock)
{
	char c, buf[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = buf, .msg_controllen = sizeof(buf) };
	struct cmsghdr *h;
	int fd = -1;

	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != 1)
		die("recvmsg");
	h = CMSG_FIRSTHDR(&m);
	if (h)
		memcpy(&fd, CMSG_DATA(h), sizeof(fd));
	return fd;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		die(path);
}

/* Root in namespaces of its own. */
static void enter(void)
{
	char map[64];

	snprintf(map, sizeof(map), "0 %u 1", geteuid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWUTS | CLONE_NEWPID) || sethostname("zone", 4))
		die("unshare");
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", map);
}

static void guest(const struct emul_filter *f, int sock, bool ns, char **argv)
{
	int listener, r;
	pid_t pid;
	char c;

	if (ns) {
		enter();
		pid = fork();
		if (pid) {
			int status;

			close(sock);
			waitpid(pid, &status, 0);
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		}
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		die("no_new_privs");
	r = emul_filter_install(f, &listener);
	if (r) {
		errno = -r;
		die("filter");
	}
	send_fd(sock, listener);
	if (listener >= 0)
		close(listener);
	if (read(sock, &c, 1) != 1)
		die("go");
	execvp(argv[0], argv);
	die(argv[0]);
}

static int trace(const struct lx_world *w, pid_t first)
{
	int status, result = 1;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		int sig = 0;

		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (tid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			continue;
		}
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
			struct user_regs_struct u;

			ptrace(PTRACE_GETREGS, tid, 0, &u);
			struct __ptrace_syscall_info i = { 0 };

			ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(i), &i);
			emul_trap_ptrace(w, NULL, tid, i.arch == 0xc000003e ? LX_SYS64 : LX_SYS32, i.seccomp.nr,
					 (const uint64_t *)i.seccomp.args);
		} else if (status >> 16 == PTRACE_EVENT_STOP) {
			sig = WSTOPSIG(status);
			if (sig != SIGTRAP) {
				ptrace(PTRACE_LISTEN, tid, 0, 0);
				continue;
			}
			sig = 0;
		} else if (!(status >> 16)) {
			sig = WSTOPSIG(status);
		}
		ptrace(PTRACE_CONT, tid, 0, sig);
	}
	return result;
}

int main(int argc, char **argv)
{
	struct lx_world w = { 0 };
	enum emul_trap trap = EMUL_TRAP_NOTIFY;
	struct emul_server *s = NULL;
	struct emul_filter f;
	int c, sp[2], fd, status, result;
	unsigned first = 0, a = 0, b = 0, p = 0;
	bool ns = false;
	struct err e;
	pid_t pid;

	while ((c = getopt(argc, argv, "+t:r:d:c:C:m:u")) != -1) {
		switch (c) {
		case 't': trap = strcmp(optarg, "ptrace") ? EMUL_TRAP_NOTIFY : EMUL_TRAP_PTRACE; break;
		case 'r':
			snprintf(w.release, sizeof(w.release), "%s", optarg);
			sscanf(optarg, "%u.%u.%u", &a, &b, &p);
			w.version = LX_VERSION(a, b, p);
			break;
		case 'd': snprintf(w.domainname, sizeof(w.domainname), "%s", optarg); break;
		case 'c': w.cpus = (uint32_t)atoi(optarg); break;
		case 'C': first = (unsigned)atoi(optarg); break;
		case 'm': w.memory = strtoull(optarg, NULL, 0); break;
		case 'u': ns = true; break;
		default: return 99;
		}
	}
	for (unsigned i = 0; i < w.cpus; i++)
		w.cpu_mask[0] |= 1ULL << (first + i);
	if (emul_filter_make(&w, trap, &f, &e) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sp))
		die("setup");
	if (w.cpus)
		syscall(SYS_sched_setaffinity, 0, sizeof(w.cpu_mask), w.cpu_mask);
	pid = fork();
	if (!pid)
		guest(&f, sp[1], ns, argv + optind);
	close(sp[1]);
	fd = recv_fd(sp[0]);
	if (fd >= 0) {
		s = emul_server_new(&w, NULL, &e);
		if (!s || emul_server_add(s, fd, &e)) {
			fprintf(stderr, "%s\n", e.msg);
			return 99;
		}
	}
	if (trap == EMUL_TRAP_PTRACE &&
	    ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
					       PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD))
		die("seize");
	if (write(sp[0], "", 1) != 1)
		die("go");
	if (trap == EMUL_TRAP_PTRACE) {
		result = trace(&w, pid);
	} else {
		while (waitpid(pid, &status, 0) < 0)
			;
		result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	if (s && getenv("EMUL_RUN_CALLS"))
		fprintf(stderr, "%llu calls answered\n", (unsigned long long)emul_server_calls(s));
	emul_server_free(s);
	emul_filter_free(&f);
	return result;
}
