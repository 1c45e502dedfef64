/* The server of notifications with guests that are children of this test: results, faults, hooks, notes of cost, a leader
 * that is held up, many listeners, guests killed in the middle of a call, and that all descriptors are given back. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emul/emul.h"
#include "lx_syscall/lx_rows.h"

static const struct lx_world world = { .version = LX_VERSION(4, 4, 0), .release = "4.4.0" };

struct guest {
	pid_t pid;
	int listener;
	int go;
};

static int take_fd(int sock)
{
	char c, buf[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = buf, .msg_controllen = sizeof(buf) };
	int fd = -1;

	assert_int_equal(recvmsg(sock, &m, MSG_CMSG_CLOEXEC), 1);
	assert_non_null(CMSG_FIRSTHDR(&m));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static void give_fd(int sock, int fd)
{
	char c = 0, buf[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = buf, .msg_controllen = sizeof(buf) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	if (sendmsg(sock, &m, 0) != 1)
		_exit(90);
	close(fd);
}

/* A child under the filter that runs fn once guest_go() is called. */
static struct guest guest_start(int (*fn)(void), const struct lx_world *w)
{
	struct guest g;
	struct emul_filter f;
	struct err e;
	int sp[2], listener;
	char c;

	assert_int_equal(emul_filter_make(w, EMUL_TRAP_NOTIFY, &f, &e), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sp), 0);
	g.pid = fork();
	if (!g.pid) {
		close(sp[0]);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || emul_filter_install(&f, &listener) || listener < 0)
			_exit(91);
		give_fd(sp[1], listener);
		if (read(sp[1], &c, 1) != 1)
			_exit(92);
		_exit(fn());
	}
	close(sp[1]);
	g.listener = take_fd(sp[0]);
	g.go = sp[0];
	emul_filter_free(&f);
	return g;
}

static void guest_go(const struct guest *g)
{
	assert_int_equal(write(g->go, "", 1), 1);
}

static int guest_end(const struct guest *g)
{
	int status;

	assert_int_equal(waitpid(g->pid, &status, 0), g->pid);
	close(g->go);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static int call_uname(void)
{
	struct utsname u;

	if (uname(&u) || strcmp(u.release, "4.4.0"))
		return 1;
	if (syscall(SYS_uname, 16L) != -1 || errno != EFAULT)
		return 2;
	return 0;
}

static void test_answers(void **state)
{
	struct emul_notes *notes = calloc(1, sizeof(*notes));
	struct guest g = guest_start(call_uname, &world);
	struct emul_server *s;
	struct err e;
	int fds = open_fds() - 1; /* without the listener */

	s = emul_server_new(&world, notes, &e);
	assert_non_null(s);
	assert_int_equal(emul_server_add(s, g.listener, &e), 0);
	guest_go(&g);
	assert_int_equal(guest_end(&g), 0);
	assert_int_equal(emul_server_calls(s), 2);
	emul_server_free(s);
	assert_int_equal(notes->note[g.pid % EMUL_NNOTES].tid, g.pid);
	assert_int_equal(notes->note[g.pid % EMUL_NNOTES].nr, SYS_uname);
	assert_in_range(notes->note[g.pid % EMUL_NNOTES].cost, 100, 1000000000);
	/* the guest's socket is closed; descriptors that watch the host's names stay for good */
	assert_in_range(open_fds(), 0, fds - 1 + 2);
	free(notes);
}

static bool pre_answers(struct emul_task *t, unsigned row, long *result, void *arg)
{
	++*(int *)arg;
	*result = -EDOM;
	return t->args[0] == 4096;
}

static long post_changes(struct emul_task *t, unsigned row, long result, void *arg)
{
	return result == -EFAULT ? -ERANGE : result;
}

static int call_hooked(void)
{
	struct utsname u;

	if (syscall(SYS_uname, 4096L) != -1 || errno != EDOM)
		return 1;
	if (syscall(SYS_uname, 16L) != -1 || errno != ERANGE)
		return 2;
	return uname(&u) ? 3 : 0;
}

static void test_hooks(void **state)
{
	int count = 0;
	struct emul_hook h = { pre_answers, post_changes, &count };
	struct guest g = guest_start(call_hooked, &world);
	struct emul_server *s;
	struct err e;

	s = emul_server_new(&world, NULL, &e);
	assert_int_equal(emul_server_add(s, g.listener, &e), 0);
	emul_hook_set(LX_ROW_uname, &h);
	guest_go(&g);
	assert_int_equal(guest_end(&g), 0);
	emul_hook_set(LX_ROW_uname, NULL);
	emul_server_free(s);
	assert_int_equal(count, 3);
}

/* A row that the world passes, made to trap by a hook that only counts. */
static int call_getppid(void)
{
	for (int i = 0; i < 10; i++)
		if (syscall(SYS_getppid) != getppid())
			return 1;
	return 0;
}

static bool pre_counts(struct emul_task *t, unsigned row, long *result, void *arg)
{
	++*(int *)arg;
	return false;
}

static void test_hook_on_pass(void **state)
{
	static const struct lx_world native;
	int count = 0;
	struct emul_hook h = { .pre = pre_counts, .arg = &count };
	struct emul_server *s;
	struct guest g;
	struct err e;

	emul_hook_set(LX_ROW_getppid, &h);
	g = guest_start(call_getppid, &native);
	s = emul_server_new(&native, NULL, &e);
	assert_int_equal(emul_server_add(s, g.listener, &e), 0);
	guest_go(&g);
	assert_int_equal(guest_end(&g), 0);
	emul_server_free(s);
	emul_hook_set(LX_ROW_getppid, NULL);
	assert_int_equal(count, 20);
}

/* The handler of address 8192 takes half a second: the other guest must not wait for it. */
static bool pre_stuck(struct emul_task *t, unsigned row, long *result, void *arg)
{
	if (t->args[0] != 8192)
		return false;
	nap(500);
	*result = 0;
	return true;
}

static int call_stuck(void)
{
	return syscall(SYS_uname, 8192L) ? 1 : 0;
}

static void test_stuck_leader(void **state)
{
	struct emul_hook h = { .pre = pre_stuck };
	struct guest slow[3], fast = guest_start(call_uname, &world);
	struct timespec a, b;
	struct emul_server *s;
	struct err e;

	s = emul_server_new(&world, NULL, &e);
	emul_hook_set(LX_ROW_uname, &h);
	for (int i = 0; i < 3; i++) {
		slow[i] = guest_start(call_stuck, &world);
		assert_int_equal(emul_server_add(s, slow[i].listener, &e), 0);
		guest_go(&slow[i]);
	}
	assert_int_equal(emul_server_add(s, fast.listener, &e), 0);
	nap(10);
	clock_gettime(CLOCK_MONOTONIC, &a);
	guest_go(&fast);
	assert_int_equal(guest_end(&fast), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_in_range((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000, 0, 400);
	for (int i = 0; i < 3; i++)
		assert_int_equal(guest_end(&slow[i]), 0);
	emul_server_free(s);
	emul_hook_set(LX_ROW_uname, NULL);
}

static int call_forever(void)
{
	struct utsname u;

	for (;;)
		syscall(SYS_uname, &u);
	return 0;
}

static void test_killed(void **state)
{
	struct emul_server *s;
	struct guest g;
	struct err e;

	s = emul_server_new(&world, NULL, &e);
	for (int i = 0; i < 20; i++) {
		g = guest_start(call_forever, &world);
		assert_int_equal(emul_server_add(s, g.listener, &e), 0);
		guest_go(&g);
		nap(1 + i % 3);
		kill(g.pid, SIGKILL);
		assert_int_equal(guest_end(&g), 128 + SIGKILL);
	}
	g = guest_start(call_uname, &world);
	assert_int_equal(emul_server_add(s, g.listener, &e), 0);
	guest_go(&g);
	assert_int_equal(guest_end(&g), 0);
	emul_server_free(s);
}

static void test_listeners_close(void **state)
{
	struct emul_server *s;
	struct err e;
	int fds;

	s = emul_server_new(&world, NULL, &e);
	fds = open_fds();
	for (int i = 0; i < 20; i++) {
		struct guest g = guest_start(call_uname, &world);

		assert_int_equal(emul_server_add(s, g.listener, &e), 0);
		guest_go(&g);
		assert_int_equal(guest_end(&g), 0);
	}
	for (int i = 0; i < 200 && open_fds() > fds + 2; i++)
		nap(5);
	assert_in_range(open_fds(), 0, fds + 2);
	emul_server_free(s);
}

/* Once the server is gone, calls that need it say ENOSYS and nobody hangs. */
static int call_orphaned(void)
{
	struct utsname u;

	for (;;) {
		if (!uname(&u))
			continue;
		return errno == ENOSYS ? 0 : 1;
	}
}

static void test_server_goes_first(void **state)
{
	struct guest g = guest_start(call_orphaned, &world);
	struct emul_server *s;
	struct err e;

	s = emul_server_new(&world, NULL, &e);
	assert_int_equal(emul_server_add(s, g.listener, &e), 0);
	guest_go(&g);
	nap(5);
	emul_server_free(s);
	assert_int_equal(guest_end(&g), 0);
}

/* Of the host's version: glibc gives up when rseq, which it had before the filter, is missing in a new thread. */
static const struct lx_world named = { .domainname = "example.org" };

static void *thread_calls(void *arg)
{
	struct utsname u;

	for (int i = 0; i < 500; i++)
		if (uname(&u) || strcmp(u.domainname, "example.org"))
			return (void *)1;
	return NULL;
}

static int call_threads(void)
{
	pthread_t id[8];
	void *r;
	int bad = 0;

	for (int i = 0; i < 8; i++)
		pthread_create(&id[i], NULL, thread_calls, NULL);
	for (int i = 0; i < 8; i++) {
		pthread_join(id[i], &r);
		bad += r != NULL;
	}
	return bad;
}

static void test_threads(void **state)
{
	struct guest g = guest_start(call_threads, &named);
	struct emul_server *s;
	struct err e;

	s = emul_server_new(&named, NULL, &e);
	assert_int_equal(emul_server_add(s, g.listener, &e), 0);
	guest_go(&g);
	assert_int_equal(guest_end(&g), 0);
	assert_int_equal(emul_server_calls(s), 4000);
	emul_server_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_hook_on_pass),
		cmocka_unit_test(test_stuck_leader),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_listeners_close),
		cmocka_unit_test(test_server_goes_first),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
