/* A zone's settings as an OCI runtime config.json and back (jansson). What OCI has no word for is an annotation
 * org.lxzone.*; attributes (--set) are org.lxzone.set.ATTRIBUTE. */
#include "brand/zone_config.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#include "brand/json_file.h"
#include "common/host/cleanup.h"

#define ANN "org.lxzone."
#define ANN_SET ANN "set."

/* JSON text is UTF-8: of a word that is not, the bytes above 127 are shown as '?'. */
static json_t *text_json(const char *s)
{
	json_t *j = json_string(s);
	_cleanup_free_ char *copy = j ? NULL : strdup(s);

	for (char *p = copy; p && *p; p++)
		if ((unsigned char)*p > 127)
			*p = '?';
	return copy ? json_string(copy) : j;
}

static json_t *strv_json(const struct zone_strv *s)
{
	json_t *a = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(a, text_json(s->v[i]));
	return a;
}

static json_t *mounts_json(const struct zone_config *c)
{
	json_t *mounts = json_array();

	for (size_t i = 0; i < c->nvol; i++)
		json_array_append_new(mounts,
				      json_pack("{s:o, s:s, s:o, s:[s, s]}", "destination", text_json(c->vol[i].guest), "type", "bind",
						"source", text_json(c->vol[i].host), "options", "rbind",
						c->vol[i].writable ? "rw" : "ro"));
	return mounts;
}

static json_t *annotations_json(const struct zone_config *c)
{
	json_t *ann = json_object();

	json_object_set_new(ann, ANN "name", text_json(c->name ? c->name : ""));
	json_object_set_new(ann, ANN "root", text_json(c->root ? "directory" : "default"));
	if (!c->cwd) /* then process.cwd may be missing, and / does as well */
		json_object_set_new(ann, ANN "workdir", text_json("default"));
	if (c->user)
		json_object_set_new(ann, ANN "user", text_json(c->user));
	if (c->host_cwd)
		json_object_set_new(ann, ANN "cwd", text_json(c->host_cwd));
	for (size_t i = 0; i < c->nattr; i++) {
		char key[256];

		snprintf(key, sizeof(key), ANN_SET "%s", c->attr[i].key);
		json_object_set_new(ann, key, text_json(c->attr[i].value));
	}
	return ann;
}

static json_t *linux_json(void)
{
	static const char *const ns[] = {"user", "mount", "pid", "ipc", "uts", "network", "cgroup"};
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		json_array_append_new(list, json_pack("{s:s}", "type", ns[i]));
	return json_pack("{s:o}", "namespaces", list);
}

static json_t *config_json(const struct zone_config *c)
{
	json_t *process = json_pack("{s:b, s:o, s:o, s:b}", "terminal", c->terminal, "args", strv_json(&c->args), "env",
				    strv_json(&c->env), "noNewPrivileges", 1);

	json_object_set_new(process, "cwd", text_json(c->cwd ? c->cwd : !c->root && c->host_cwd ? c->host_cwd : "/"));
	return json_pack("{s:s, s:o, s:{s:o}, s:o, s:o, s:o}", "ociVersion", "1.2.0", "process", process, "root", "path",
			 text_json(c->root ? c->root : "/"), "mounts", mounts_json(c), "linux", linux_json(), "annotations",
			 annotations_json(c));
}

int zone_config_save(const struct zone_config *c, int dirfd, const char *name, struct err *e)
{
	return json_file_save(config_json(c), dirfd, name, e);
}

/* ---- reading ---- */

static int bad(struct err *e, const char *what)
{
	return err_msg(e, EINVAL, "config.json: %s", what);
}

/* A string member without NUL inside; absent: NULL. */
static int get_text(json_t *o, const char *key, char **out, struct err *e)
{
	json_t *s = json_object_get(o, key);

	if (!s)
		return 0;
	if (!json_is_string(s) || strlen(json_string_value(s)) != json_string_length(s))
		return bad(e, key);
	free(*out);
	*out = strdup(json_string_value(s));
	return *out ? 0 : err_set(e, ENOMEM, "config.json");
}

static int get_strv(json_t *o, const char *key, struct zone_strv *out, struct err *e)
{
	json_t *a = json_object_get(o, key), *s;
	size_t i;
	int r;

	if (!a)
		return 0;
	if (!json_is_array(a))
		return bad(e, key);
	json_array_foreach(a, i, s) {
		if (!json_is_string(s) || strlen(json_string_value(s)) != json_string_length(s))
			return bad(e, key);
		r = zone_strv_add(out, json_string_value(s), e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int get_mounts(struct zone_config *c, json_t *mounts, struct err *e)
{
	json_t *m, *o;
	size_t i, k;

	if (mounts && !json_is_array(mounts))
		return bad(e, "mounts");
	json_array_foreach(mounts, i, m) {
		struct zone_volume v = {.writable = true}, *nv;
		const char *type = json_string_value(json_object_get(m, "type"));

		if (!type || strcmp(type, "bind"))
			continue;
		if (get_text(m, "destination", &v.guest, e) < 0 || get_text(m, "source", &v.host, e) < 0 || !v.host || !v.guest ||
		    v.host[0] != '/' || v.guest[0] != '/') {
			free(v.host);
			free(v.guest);
			return bad(e, "mounts: destination and source must be absolute paths");
		}
		json_array_foreach(json_object_get(m, "options"), k, o)
			if (json_is_string(o) && !strcmp(json_string_value(o), "ro"))
				v.writable = false;
		nv = reallocarray(c->vol, c->nvol + 1, sizeof(*nv));
		if (!nv) {
			free(v.host);
			free(v.guest);
			return err_set(e, ENOMEM, "config.json");
		}
		c->vol = nv;
		c->vol[c->nvol++] = v;
	}
	return 0;
}

static int get_annotations(struct zone_config *c, json_t *ann, struct err *e)
{
	const char *key;
	json_t *v;
	int r;

	if (ann && !json_is_object(ann))
		return bad(e, "annotations");
	r = get_text(ann, ANN "name", &c->name, e);
	if (r == 0)
		r = get_text(ann, ANN "user", &c->user, e);
	if (r == 0)
		r = get_text(ann, ANN "cwd", &c->host_cwd, e);
	if (r < 0)
		return r;
	json_object_foreach(ann, key, v) {
		_cleanup_free_ char *kv = NULL;

		if (strncmp(key, ANN_SET, strlen(ANN_SET)))
			continue;
		if (!json_is_string(v) || asprintf(&kv, "%s=%s", key + strlen(ANN_SET), json_string_value(v)) < 0)
			return bad(e, key);
		r = zone_config_set(c, kv, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int config_from(struct zone_config *c, json_t *j, struct err *e)
{
	json_t *process = json_object_get(j, "process"), *ann = json_object_get(j, "annotations");
	const char *root = json_string_value(json_object_get(ann, ANN "root"));
	const char *workdir = json_string_value(json_object_get(ann, ANN "workdir"));
	int r;

	if (!json_is_object(j))
		return bad(e, "not an object");
	if (!root || strcmp(root, "default")) {
		r = get_text(json_object_get(j, "root"), "path", &c->root, e);
		if (r < 0)
			return r;
		if (!c->root)
			return bad(e, "root.path is missing");
	}
	c->terminal = json_is_true(json_object_get(process, "terminal"));
	r = get_strv(process, "args", &c->args, e);
	if (r == 0)
		r = get_strv(process, "env", &c->env, e);
	if (r == 0 && (!workdir || strcmp(workdir, "default")))
		r = get_text(process, "cwd", &c->cwd, e);
	if (r == 0)
		r = get_mounts(c, json_object_get(j, "mounts"), e);
	if (r == 0)
		r = get_annotations(c, ann, e);
	return r;
}

int zone_config_parse(struct zone_config *c, const char *text, size_t len, struct err *e)
{
	json_error_t je;
	json_t *j;
	int r;

	memset(c, 0, sizeof(*c));
	j = len <= ZONE_CONFIG_MAX ? json_loadb(text, len, JSON_REJECT_DUPLICATES, &je) : NULL;
	if (!j && len > ZONE_CONFIG_MAX)
		return bad(e, "longer than 8 MiB");
	if (!j)
		return err_msg(e, EINVAL, "config.json: line %d: %s", je.line, je.text);
	r = config_from(c, j, e);
	json_decref(j);
	if (r < 0)
		zone_config_free(c);
	return r;
}

int zone_config_load(struct zone_config *c, int dirfd, const char *name, struct err *e)
{
	_cleanup_close_ int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	_cleanup_free_ char *text = NULL;
	struct stat st;
	ssize_t n;

	memset(c, 0, sizeof(*c));
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, errno, "%s", name);
	if (!S_ISREG(st.st_mode) || st.st_size > ZONE_CONFIG_MAX)
		return bad(e, "not a file of at most 8 MiB");
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return err_set(e, ENOMEM, "%s", name);
	n = pread(fd, text, (size_t)st.st_size, 0);
	return n < 0 ? err_set(e, errno, "%s", name) : zone_config_parse(c, text, (size_t)n, e);
}
