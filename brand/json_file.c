/* See json_file.h: jansson's own writer makes a system call of every token. */
#include "brand/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/host/cleanup.h"

int json_file_save(json_t *j, int dirfd, const char *name, struct err *e)
{
	_cleanup_free_ char *text = j ? json_dumps(j, JSON_INDENT(1) | JSON_ENSURE_ASCII) : NULL;
	_cleanup_close_ int fd = -1;
	char tmp[80];

	json_decref(j);
	if (!text)
		return err_set(e, ENOMEM, "%s", name);
	snprintf(tmp, sizeof(tmp), ".%s.new", name);
	fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || renameat(dirfd, tmp, dirfd, name) < 0)
		return err_set(e, errno ? errno : EIO, "write %s", name);
	return 0;
}
