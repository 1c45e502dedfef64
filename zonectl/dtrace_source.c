/* Reads D scripts: from a file, through the C preprocessor with -C. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/host/cleanup.h"
#include "zonectl/dtrace_impl.h"

#define SCRIPT_MAX (64u << 20)
#define CPP_MAXARGS 256

static int read_all(int fd, const char *name, char **text, struct err *e)
{
	size_t len = 0, cap = 16384;
	char *buf = malloc(cap);

	for (;;) {
		ssize_t n;

		if (!buf)
			return err_set(e, ENOMEM, "%s", name);
		n = read(fd, buf + len, cap - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err_set(e, errno, "failed to read %s", name);
			break;
		}
		if (n == 0) {
			buf[len] = '\0';
			if (strlen(buf) == len) {
				*text = buf;
				return 0;
			}
			err_msg(e, EINVAL, "%s is not a text file", name);
			break;
		}
		len += (size_t)n;
		if (len > SCRIPT_MAX) {
			err_msg(e, EFBIG, "%s is too long", name);
			break;
		}
		if (cap - len < 2) {
			char *more = realloc(buf, cap * 2);

			if (!more)
				free(buf);
			buf = more;
			cap *= 2;
		}
	}
	free(buf);
	return -e->code;
}

/* Adds one argument per line of a list option: prefix, then the line. False: no room or no memory. */
static bool add_list(char **argv, unsigned *n, const char *prefix, const char *list)
{
	while (list) {
		const char *end = strchrnul(list, '\n');

		if (*n >= CPP_MAXARGS - 8 || asprintf(&argv[*n], "%s%.*s", prefix, (int)(end - list), list) < 0)
			return false;
		++*n;
		list = *end ? end + 1 : NULL;
	}
	return true;
}

static bool add(char **argv, unsigned *n, const char *arg)
{
	return add_list(argv, n, arg, "");
}

static void run_cpp(const char *path, char **argv, int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execvp(path, argv);
	dprintf(STDERR_FILENO, "dtrace: failed to run %s: %s\n", path, strerror(errno));
	_exit(127);
}

/* Runs the preprocessor over text (freed, replaced). */
static int preprocess(const char *name, const struct dt_opts *o, char **text, struct err *e)
{
	const char *path = o->str[DT_OPT_CPPPATH] ? o->str[DT_OPT_CPPPATH] : "cpp";
	_cleanup_close_ int in = memfd_create("script", MFD_CLOEXEC), rd = -1, wr = -1;
	char *argv[CPP_MAXARGS] = { NULL };
	size_t len = strlen(*text);
	int p[2], status, r = 0;
	unsigned n = 0;
	pid_t pid;

	if (in < 0 || write(in, *text, len) != (ssize_t)len || lseek(in, 0, SEEK_SET) < 0 || pipe2(p, O_CLOEXEC) < 0)
		return err_set(e, errno, "%s", name);
	rd = p[0];
	wr = p[1];
	if (!add(argv, &n, path) || !add(argv, &n, "-xc") || !add(argv, &n, "-D__linux__") || !add(argv, &n, "-D__SUNW_D=1") ||
	    !add(argv, &n, "-D__SUNW_D_VERSION=0x02000000") || (o->val[DT_OPT_CPPHDRS] && !add(argv, &n, "-H")) ||
	    !add_list(argv, &n, "", o->str[DT_OPT_CPPARGS]) || !add_list(argv, &n, "-I", o->str[DT_OPT_INCDIR]) ||
	    !add_list(argv, &n, "-D", o->str[DT_OPT_DEFINE]) || !add_list(argv, &n, "-U", o->str[DT_OPT_UNDEF]))
		r = err_set(e, E2BIG, "preprocessor arguments");
	pid = r < 0 ? -1 : fork();
	if (pid == 0)
		run_cpp(path, argv, in, wr);
	if (r == 0 && pid < 0)
		r = err_set(e, errno, "fork");
	while (n)
		free(argv[--n]);
	if (r < 0)
		return r;
	free(*text);
	*text = NULL;
	close(wr);
	wr = -1;
	r = read_all(rd, name, text, e);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r == 0 && (!WIFEXITED(status) || WEXITSTATUS(status)))
		r = err_msg(e, EINVAL, "failed to compile script %s: the preprocessor failed", name);
	return r;
}

int dtrace_source_read(const char *path, const struct dt_opts *o, char **text, struct err *e)
{
	_cleanup_close_ int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	int r;

	*text = NULL;
	if (fd < 0)
		return err_set(e, errno, "failed to open %s", path);
	r = read_all(fd, path, text, e);
	if (r < 0)
		return r;
	/* The interpreter's line is not D; blanks keep the numbers of the lines behind it. */
	if (!strncmp(*text, "#!", 2)) {
		for (char *s = *text; *s && *s != '\n'; s++)
			*s = ' ';
	}
	r = o->val[DT_OPT_CPP] ? preprocess(path, o, text, e) : 0;
	if (r < 0) {
		free(*text);
		*text = NULL;
	}
	return r;
}
