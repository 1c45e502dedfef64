/* Filling a zone's settings from the command line's words; see zone_config.h. Calls nothing but libc. */
#include "brand/zone_config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/host/cleanup.h"

int zone_strv_add(struct zone_strv *s, const char *text, struct err *e)
{
	char **v = reallocarray(s->v, s->n + 2, sizeof(*v));
	char *copy = strdup(text);

	if (v)
		s->v = v;
	if (!v || !copy) {
		free(copy);
		return err_set(e, ENOMEM, "settings");
	}
	s->v[s->n++] = copy;
	s->v[s->n] = NULL;
	return 0;
}

void zone_strv_free(struct zone_strv *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

void zone_config_free(struct zone_config *c)
{
	free(c->name);
	free(c->root);
	free(c->host_cwd);
	free(c->cwd);
	free(c->user);
	for (size_t i = 0; i < c->nattr; i++) {
		free(c->attr[i].key);
		free(c->attr[i].value);
	}
	free(c->attr);
	for (size_t i = 0; i < c->nvol; i++) {
		free(c->vol[i].host);
		free(c->vol[i].guest);
	}
	free(c->vol);
	zone_strv_free(&c->env);
	zone_strv_free(&c->args);
	memset(c, 0, sizeof(*c));
}

const char *zone_config_get(const struct zone_config *c, const char *key)
{
	for (size_t i = 0; i < c->nattr; i++)
		if (!strcmp(c->attr[i].key, key))
			return c->attr[i].value;
	return NULL;
}

int zone_config_set(struct zone_config *c, const char *text, struct err *e)
{
	const char *eq = strchr(text, '=');
	struct zone_attr *a;
	char *key, *value;

	if (!eq || eq == text)
		return err_msg(e, EINVAL, "--set wants ATTRIBUTE=VALUE, not '%s'", text);
	key = strndup(text, (size_t)(eq - text));
	value = strdup(eq + 1);
	if (!key || !value)
		goto nomem;
	for (size_t i = 0; i < c->nattr; i++)
		if (!strcmp(c->attr[i].key, key)) {
			free(key);
			free(c->attr[i].value);
			c->attr[i].value = value;
			return 0;
		}
	a = reallocarray(c->attr, c->nattr + 1, sizeof(*a));
	if (!a)
		goto nomem;
	c->attr = a;
	c->attr[c->nattr++] = (struct zone_attr){key, value};
	return 0;
nomem:
	free(key);
	free(value);
	return err_set(e, ENOMEM, "settings");
}

/* A place in a zone without repeated or trailing slashes, in place. What every zone has of its own, and starts with, is no
 * place for a volume. */
static int volume_place(char *path, struct err *e)
{
	static const char *const own[] = {"/", "/proc", "/dev", "/dev/pts"};
	char *to = path;

	for (const char *p = path; *p;) {
		size_t n;

		p += strspn(p, "/");
		n = strcspn(p, "/");
		if ((n == 1 && *p == '.') || (n == 2 && !strncmp(p, "..", 2)))
			return err_msg(e, EINVAL, "-v wants a place in the zone without '.' and '..'");
		if (n) {
			*to++ = '/';
			memmove(to, p, n);
			to += n;
		}
		p += n;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(path, own[i]) || (i == 1 && !strncmp(path, "/proc/", 6)))
			return err_msg(e, EINVAL, "-v can't show a volume at %s, where a zone has its own", path);
	return 0;
}

int zone_config_volume(struct zone_config *c, const char *text, struct err *e)
{
	_cleanup_free_ char *copy = strdup(text), *host = NULL, *guest = NULL;
	struct zone_volume *v;
	bool writable = false;
	char *p, *to;

	if (!copy)
		return err_set(e, ENOMEM, "settings");
	p = strrchr(copy, ':');
	if (p && (!strcmp(p, ":ro") || !strcmp(p, ":rw"))) {
		writable = p[2] == 'w';
		*p = '\0';
	}
	to = strchr(copy, ':');
	if (to)
		*to++ = '\0';
	if (!*copy || (to && (*to != '/' || strchr(to, ':'))))
		return err_msg(e, EINVAL, "-v wants HOST[:/GUEST][:ro|rw], not '%s'", text);
	host = realpath(copy, NULL);
	if (!host)
		return err_set(e, errno, "-v %s", copy);
	/* Without a path of its own a volume keeps the caller's spelling, so that scripts find it again. */
	guest = strdup(to ? to : *copy == '/' && !strstr(copy, "/.") ? copy : host);
	if (guest && volume_place(guest, e) < 0)
		return -EINVAL;
	v = reallocarray(c->vol, c->nvol + 1, sizeof(*v));
	if (v)
		c->vol = v;
	if (!v || !guest)
		return err_set(e, ENOMEM, "settings");
	c->vol[c->nvol++] = (struct zone_volume){host, guest, writable};
	host = guest = NULL;
	return 0;
}

int zone_config_env(struct zone_config *c, const char *text, struct err *e)
{
	_cleanup_free_ char *full = NULL;
	const char *value;

	if (!*text || *text == '=')
		return err_msg(e, EINVAL, "-e wants NAME=VALUE or NAME, not '%s'", text);
	if (strchr(text, '='))
		return zone_strv_add(&c->env, text, e);
	value = getenv(text);
	if (!value)
		return 0;
	if (asprintf(&full, "%s=%s", text, value) < 0) {
		full = NULL;
		return err_set(e, ENOMEM, "settings");
	}
	return zone_strv_add(&c->env, full, e);
}

int zone_config_root(struct zone_config *c, const char *path, struct err *e)
{
	char *full = realpath(path, NULL);
	struct stat st;

	if (!full)
		return err_set(e, errno, "root %s", path);
	if (stat(full, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(full);
		return err_msg(e, ENOTDIR, "root %s is not a directory", path);
	}
	if (!strcmp(full, "/")) {
		free(full);
		return err_msg(e, EINVAL, "root / is the host's own: leave --root out, and the zone gets it under private overlays");
	}
	free(c->root);
	c->root = full;
	return 0;
}

int zone_name_check(const char *name, struct err *e)
{
	size_t n = strlen(name);
	bool good = n > 0 && n <= ZONE_NAME_MAX && isalnum((unsigned char)name[0]);

	for (size_t i = 0; good && i < n; i++)
		good = isalnum((unsigned char)name[i]) || strchr("_.-", name[i]);
	if (!good)
		return err_msg(e, EINVAL, "'%s' is no name for a zone: up to %d letters, digits, '_', '.', '-', the first a letter or digit",
			       name, ZONE_NAME_MAX);
	/* Sockets and locks of tracers lie beside the folders of zones. */
	if (!strncmp(name, "holder-", 7) || !strncmp(name, "holder.", 7))
		return err_msg(e, EINVAL, "'%s' is no name for a zone: 'holder-' and 'holder.' are taken", name);
	return 0;
}
