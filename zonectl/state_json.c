/* state.json of a running zone: what `zonectl list` shows and what the next command has to remove if the monitor dies. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#include "brand/json_file.h"
#include "common/host/cleanup.h"
#include "zonectl/state.h"

#define STATE_MAX 65536

static json_t *text(const char *s)
{
	json_t *j = json_string(s);

	return j ? j : json_string("?");
}

int zone_state_save(const struct zone_dir *d, const struct zone_info *i, const struct zone_cgroups *c, struct err *e)
{
	json_t *groups = json_array(), *j;

	for (unsigned k = 0; k < c->n; k++)
		json_array_append_new(groups, text(c->path[k]));
	j = json_pack("{s:o, s:s, s:i, s:i, s:I, s:o, s:o, s:o}", "name", text(d->name), "status", i->status, "monitor", (int)i->monitor,
		      "init", (int)i->init, "started", (json_int_t)i->started, "root", text(i->root), "command", text(i->command),
		      "cgroups", groups);
	return json_file_save(j, d->fd, "state.json", e);
}

static void take(char *out, size_t size, json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	snprintf(out, size, "%s", s ? s : "");
}

int zone_state_load(int dirfd, struct zone_info *i, struct zone_cgroups *c, struct err *e)
{
	_cleanup_close_ int fd = openat(dirfd, "state.json", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	json_t *j, *groups, *g;
	json_error_t je;
	struct stat st;
	size_t k;

	memset(i, 0, sizeof(*i));
	c->n = 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, errno, "state.json");
	if (!S_ISREG(st.st_mode) || st.st_size > STATE_MAX || !(j = json_loadfd(fd, JSON_REJECT_DUPLICATES, &je)))
		return err_msg(e, EINVAL, "state.json is damaged");
	take(i->name, sizeof(i->name), j, "name");
	take(i->status, sizeof(i->status), j, "status");
	take(i->root, sizeof(i->root), j, "root");
	take(i->command, sizeof(i->command), j, "command");
	i->monitor = (pid_t)json_integer_value(json_object_get(j, "monitor"));
	i->init = (pid_t)json_integer_value(json_object_get(j, "init"));
	i->started = (uint64_t)json_integer_value(json_object_get(j, "started"));
	groups = json_object_get(j, "cgroups");
	json_array_foreach(groups, k, g)
		if (c->n < ZONE_CGROUPS && json_is_string(g))
			snprintf(c->path[c->n++], PATH_MAX, "%s", json_string_value(g));
	json_decref(j);
	return 0;
}
