/* Lines that begin with #: options, attributes, dependencies, line numbers of a preprocessor, errors. */
#include "dtrace/dt_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXWORDS 8

struct ctl {
	char *word[MAXWORDS];
	unsigned n;
};

/* Splits the rest of the line at blanks; a quoted word may have some. The line end is left. */
static char *take_line(struct dt_cc *c)
{
	const char *s = c->pos;
	char *line;
	size_t n, o = 0, i;

	for (n = 0; s[n] && s[n] != '\n'; n++)
		;
	line = dt_strndup(c, s, n);
	c->pos = s + n;
	for (i = 0; i < n; i++) { /* a comment on the line counts as a blank */
		if (line[i] == '/' && line[i + 1] == '*') {
			char *end = strstr(line + i + 2, "*/");

			if (!end) { /* it goes on: the lexer reads it from there */
				c->pos = s + i;
				break;
			}
			line[o++] = ' ';
			i = (size_t)(end - line) + 1;
		} else {
			line[o++] = line[i];
		}
	}
	line[o] = '\0';
	return line;
}

static void split(struct dt_cc *c, char *s, struct ctl *ctl)
{
	for (;;) {
		while (isspace((unsigned char)*s))
			s++;
		if (!*s || ctl->n == MAXWORDS)
			return;
		ctl->word[ctl->n++] = s;
		if (*s == '"') {
			char *end = strchr(++s, '"');

			if (!end)
				dt_fail(c, c->line, D_STR_NL, "newline encountered in string literal");
			ctl->word[ctl->n - 1] = s;
			s = end;
			*s++ = '\0';
			continue;
		}
		while (*s && !isspace((unsigned char)*s))
			s++;
		if (*s)
			*s++ = '\0';
	}
}

static void set_line(struct dt_cc *c, const struct ctl *ctl, unsigned at)
{
	if (at >= ctl->n || strspn(ctl->word[at], "0123456789") != strlen(ctl->word[at]) ||
	    strlen(ctl->word[at]) > 9)
		dt_fail(c, c->line, D_PRAGCTL_INVAL, "invalid #line directive");
	/* the line after this one has that number */
	c->line = (uint32_t)strtoul(ctl->word[at], NULL, 10) - 1;
	if (at + 1 < ctl->n) { /* "<stdin>" and the like are the script itself */
		const char *file = ctl->word[at + 1];
		bool named = *file && *file != '<' && strncmp(file, "/dev/", 5);

		c->filetag = named ? dt_strndup(c, file, strnlen(file, 255)) : NULL;
	}
}

static void pragma_option(struct dt_cc *c, const struct ctl *ctl)
{
	struct err e = { 0 };
	unsigned i;

	if (ctl->n < 4)
		dt_fail(c, c->line, D_PRAGMA_MALFORM, "malformed #pragma option <option>=<val>");
	for (i = 3; i < ctl->n; i++) {
		char *eq = strchr(ctl->word[i], '=');

		if (eq)
			*eq++ = '\0';
		if (c->p->opts && dt_opt_set(c->p->opts, ctl->word[i], eq, &e) < 0)
			dt_fail(c, c->line, D_PRAGMA_OPTSET, "failed to set option '%s'%s%s: %s",
				ctl->word[i], eq ? " to " : "", eq ? eq : "", e.msg);
	}
}

static int found(const struct dt_probe *p, void *arg)
{
	(void)p;
	*(bool *)arg = true;
	return 0;
}

/* depends_on provider NAME, module NAME: a program is no use without them. Library files do not exist here. */
static void pragma_depends(struct dt_cc *c, const struct ctl *ctl)
{
	struct dt_pdesc d = { 0 };
	struct err e = { 0 };
	bool any = false;
	char *part;

	if (ctl->n < 5)
		dt_fail(c, c->line, D_PRAGMA_MALFORM, "malformed #pragma depends_on <class> <name>");
	if (!strcmp(ctl->word[3], "provider"))
		part = d.prov;
	else if (!strcmp(ctl->word[3], "module"))
		part = d.mod;
	else if (!strcmp(ctl->word[3], "library"))
		dt_fail(c, c->line, D_PRAGMA_DEPEND, "main program may not explicitly depend on a library");
	else
		dt_fail(c, c->line, D_PRAGMA_INVAL, "invalid class %s specified by #pragma depends_on", ctl->word[3]);
	snprintf(part, sizeof(d.prov), "%s", ctl->word[4]);
	dt_probes_match(c->p->ps, &d, found, &any, &e);
	if (!any)
		dt_fail(c, c->line, D_PRAGMA_DEPEND, "program requires %s %s", ctl->word[3], ctl->word[4]);
}

static void pragma(struct dt_cc *c, const struct ctl *ctl)
{
	if (ctl->n < 2)
		dt_fail(c, c->line, D_PRAGMA_MALFORM, "malformed #pragma");
	if (!strcmp(ctl->word[1], "ident"))
		return;
	if (!strcmp(ctl->word[1], "error"))
		dt_fail(c, c->line, D_PRAGERR, "#error: %s", ctl->n > 2 ? ctl->word[2] : "");
	if (strcmp(ctl->word[1], "D"))
		return; /* of another compiler */
	if (ctl->n < 3)
		dt_fail(c, c->line, D_PRAGMA_MALFORM, "malformed #pragma D");
	if (!strcmp(ctl->word[2], "option")) {
		pragma_option(c, ctl);
	} else if (!strcmp(ctl->word[2], "depends_on")) {
		pragma_depends(c, ctl);
	} else if (!strcmp(ctl->word[2], "attributes") || !strcmp(ctl->word[2], "binding")) {
		if (ctl->n < 5)
			dt_fail(c, c->line, D_PRAGMA_MALFORM, "malformed #pragma %s <%s> <name>",
				ctl->word[2], ctl->word[2]);
	} else {
		dt_fail(c, c->line, D_PRAGMA_INVAL, "invalid D pragma: %s", ctl->word[2]);
	}
}

void dt_control(struct dt_cc *c)
{
	struct ctl ctl = { 0 };
	char *line, *rest;

	if (*c->pos == '!') { /* #! */
		c->pos += strcspn(c->pos, "\n");
		return;
	}
	line = take_line(c);
	rest = dt_strndup(c, line, strlen(line));
	split(c, line, &ctl);
	if (!ctl.n)
		return;
	if (isdigit((unsigned char)*ctl.word[0])) {
		set_line(c, &ctl, 0);
	} else if (!strcmp(ctl.word[0], "line")) {
		set_line(c, &ctl, 1);
	} else if (!strcmp(ctl.word[0], "pragma")) {
		pragma(c, &ctl);
	} else if (!strcmp(ctl.word[0], "error")) {
		rest += strspn(rest, " \t");
		rest += strlen("error");
		dt_fail(c, c->line, D_PRAGERR, "#error:%s", rest);
	} else if (strcmp(ctl.word[0], "ident")) {
		dt_fail(c, c->line, D_PRAGCTL_INVAL, "invalid control directive: #%s", ctl.word[0]);
	}
}
