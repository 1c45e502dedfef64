/* Finds, makes and checks the run folder. One in /tmp could have been put there by somebody else: the open descriptor is
 * checked, not the name. */
#include "common/host/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/host/cleanup.h"

/* The id that root of our user namespace has outside of it: several users may be root, each in a namespace of his own. */
static unsigned outer_root(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned inner, outer;

	return f && fscanf(f, "%u %u", &inner, &outer) == 2 && inner == 0 ? outer : 0;
}

int rundir_open(char path[PATH_MAX], struct err *e)
{
	_cleanup_close_ int fd = -1;
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (geteuid() == 0 && access("/run", W_OK) == 0) /* root of a user namespace can't write there */
		snprintf(path, PATH_MAX, "/run/lxzone");
	else if (xdg && xdg[0] == '/' && strlen(xdg) < PATH_MAX - 200 && stat(xdg, &st) == 0 && st.st_uid == geteuid())
		snprintf(path, PATH_MAX, "%s/lxzone", xdg);
	else if (geteuid() == 0)
		snprintf(path, PATH_MAX, "/tmp/lxzone-0.%u", outer_root());
	else
		snprintf(path, PATH_MAX, "/tmp/lxzone-%u", geteuid());
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "run directory %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, errno, "run directory %s", path);
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		return err_msg(e, EPERM, "run directory %s is not ours alone (owner %u, mode %04o)", path, st.st_uid,
			       st.st_mode & 07777);
	return steal_fd(&fd);
}
