/* The lexer: tokens on demand. Between clauses words are probe descriptions unless a type or keyword begins a
 * declaration there; inside clauses they are C's. A / inside a predicate ends it when EOF, ';', '{' or '/' follows. */
#include "dtrace/dt_impl.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *text;
	uint8_t kw;
} keywords[] = {
	{ "auto", DT_KW_AUTO }, { "break", DT_KW_RESERVED }, { "case", DT_KW_RESERVED }, { "char", DT_KW_CHAR },
	{ "const", DT_KW_CONST }, { "continue", DT_KW_RESERVED }, { "counter", DT_KW_RESERVED }, { "default", DT_KW_RESERVED },
	{ "do", DT_KW_RESERVED }, { "double", DT_KW_DOUBLE }, { "else", DT_KW_ELSE }, { "enum", DT_KW_ENUM },
	{ "extern", DT_KW_EXTERN }, { "float", DT_KW_FLOAT }, { "for", DT_KW_RESERVED }, { "goto", DT_KW_RESERVED },
	{ "if", DT_KW_IF }, { "import", DT_KW_RESERVED }, { "inline", DT_KW_INLINE }, { "int", DT_KW_INT }, { "long", DT_KW_LONG },
	{ "offsetof", DT_KW_OFFSETOF }, { "probe", DT_KW_RESERVED }, { "provider", DT_KW_PROVIDER }, { "register", DT_KW_REGISTER },
	{ "restrict", DT_KW_RESTRICT }, { "return", DT_KW_RESERVED }, { "self", DT_KW_SELF }, { "short", DT_KW_SHORT },
	{ "signed", DT_KW_SIGNED }, { "sizeof", DT_KW_SIZEOF }, { "static", DT_KW_STATIC }, { "string", DT_KW_STRING },
	{ "stringof", DT_KW_STRINGOF }, { "struct", DT_KW_STRUCT }, { "switch", DT_KW_RESERVED }, { "this", DT_KW_THIS },
	{ "translator", DT_KW_TRANSLATOR }, { "typedef", DT_KW_TYPEDEF }, { "union", DT_KW_UNION }, { "unsigned", DT_KW_UNSIGNED },
	{ "void", DT_KW_VOID }, { "volatile", DT_KW_VOLATILE }, { "while", DT_KW_RESERVED }, { "xlate", DT_KW_XLATE },
};

enum dt_kw dt_lex_keyword(const char *s)
{
	size_t lo = 0, hi = sizeof(keywords) / sizeof(*keywords);

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int cmp = strcmp(s, keywords[mid].text);

		if (!cmp)
			return (enum dt_kw)keywords[mid].kw;
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return DT_KW_NONE;
}

bool dt_lex_is_ident(int ch, bool first)
{
	return ch == '_' || ch == '`' || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
	       (!first && ch >= '0' && ch <= '9');
}

static bool is_pspec(int ch, bool first)
{
	return (ch && strchr("-$:_.?*\\[]!", ch)) || (ch >= 'a' && ch <= 'z') ||
	       (ch >= 'A' && ch <= 'Z') || (!first && (ch == '`' || (ch >= '0' && ch <= '9')));
}

static bool is_space(int ch)
{
	return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

static void comment(struct dt_cc *c)
{
	uint32_t line = c->line;

	for (c->pos += 2; *c->pos; c->pos++) {
		if (c->pos[0] == '*' && c->pos[1] == '/') {
			c->pos += 2;
			return;
		}
		if (c->pos[0] == '/' && c->pos[1] == '*')
			dt_fail(c, c->line, D_SYNTAX, "/* encountered inside a comment");
		if (*c->pos == '\n')
			c->line++;
	}
	dt_fail(c, line, D_SYNTAX, "end-of-file encountered before matching */");
}

/* Blanks, comments, line joins and # lines. */
static void skip(struct dt_cc *c)
{
	for (;;) {
		int ch = *c->pos;

		if (ch == '\n') {
			c->line++;
			c->pos++;
			c->bol = true;
		} else if (is_space(ch)) {
			c->pos++;
		} else if (ch == '\\' && c->pos[1] == '\n') {
			c->line++;
			c->pos += 2;
		} else if (ch == '/' && c->pos[1] == '*') {
			comment(c);
		} else if (ch == '#' && c->bol) {
			c->pos++;
			dt_control(c);
		} else {
			c->bol = false;
			return;
		}
	}
}

size_t dt_lex_unescape(char *s, size_t len)
{
	static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
	size_t i = 0, o = 0;

	while (i < len) {
		const char *at;
		unsigned v, k;

		if (s[i] != '\\' || i + 1 == len) {
			s[o++] = s[i++];
			continue;
		}
		i++;
		if (s[i] >= '0' && s[i] <= '7') {
			for (v = 0, k = 0; k < 3 && i < len && s[i] >= '0' && s[i] <= '7'; k++)
				v = v * 8 + (unsigned)(s[i++] - '0');
			s[o++] = (char)v;
		} else if ((s[i] == 'x' || s[i] == 'X') && i + 1 < len &&
			   isxdigit((unsigned char)s[i + 1])) {
			for (v = 0, i++; i < len && isxdigit((unsigned char)s[i]); i++)
				v = v * 16 +
				    (unsigned)(s[i] <= '9' ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
			s[o++] = (char)v;
		} else if ((at = strchr(from, s[i])) && s[i]) {
			s[o++] = to[at - from];
			i++;
		} else {
			s[o++] = s[i++];
		}
	}
	s[o] = '\0';
	return o;
}

/* The text between two quotes: its end (the closing quote). */
static const char *quoted(struct dt_cc *c, char quote)
{
	const char *s = c->pos + 1;

	for (; *s != quote; s++) {
		if (*s == '\\' && s[1] && s[1] != '\n')
			s++;
		else if (*s == '\n' && quote == '"')
			dt_fail(c, c->line, D_STR_NL, "newline encountered in string literal");
		else if (*s == '\n')
			dt_fail(c, c->line, D_CHR_NL, "newline encountered in character constant");
		if (!*s)
			dt_fail(c, c->line, D_SYNTAX, "end-of-file encountered before matching %c",
				quote);
	}
	return s;
}

static void lex_string(struct dt_cc *c, struct dt_token *t)
{
	const char *end = quoted(c, '"');
	char *s = dt_strndup(c, c->pos + 1, (size_t)(end - c->pos - 1));

	t->kind = DT_TK_STRING;
	t->len = (uint32_t)dt_lex_unescape(s, (size_t)(end - c->pos - 1));
	t->text = s;
	c->pos = end + 1;
}

static void lex_char(struct dt_cc *c, struct dt_token *t)
{
	const char *end = quoted(c, '\'');
	size_t len = (size_t)(end - c->pos - 1), i;
	char *s = dt_strndup(c, c->pos + 1, len);

	if (!len)
		dt_fail(c, c->line, D_CHR_NULL, "empty character constant");
	len = dt_lex_unescape(s, len);
	if (len > 8)
		dt_fail(c, c->line, D_CHR_OFLOW, "character constant is too long");
	t->kind = DT_TK_INT;
	t->decimal = true;
	for (i = 0; i < len; i++)
		t->val = t->val << 8 | (unsigned char)s[i];
	c->pos = end + 1;
}

static void lex_word(struct dt_cc *c, struct dt_token *t)
{
	const char *s = c->pos;

	while (dt_lex_is_ident((unsigned char)*s, false))
		s++;
	t->kind = DT_TK_IDENT;
	t->text = dt_strndup(c, c->pos, (size_t)(s - c->pos));
	t->kw = dt_lex_keyword(t->text);
	c->pos = s;
}

static const struct {
	char text[4];
	uint8_t kind;
} puncts[] = { /* longer ones first */
	{ "<<=", DT_TK_SHLEQ }, { ">>=", DT_TK_SHREQ }, { "...", DT_TK_ELLIPSIS }, { "->", DT_TK_ARROW }, { "+=", DT_TK_ADDEQ },
	{ "-=", DT_TK_SUBEQ }, { "*=", DT_TK_MULEQ }, { "/=", DT_TK_DIVEQ }, { "%=", DT_TK_MODEQ }, { "&=", DT_TK_ANDEQ },
	{ "|=", DT_TK_OREQ }, { "^=", DT_TK_XOREQ }, { "++", DT_TK_INC }, { "--", DT_TK_DEC }, { "<<", DT_TK_SHL }, { ">>", DT_TK_SHR },
	{ "&&", DT_TK_LAND }, { "||", DT_TK_LOR }, { "^^", DT_TK_LXOR }, { "==", DT_TK_EQ }, { "!=", DT_TK_NE }, { "<=", DT_TK_LE },
	{ ">=", DT_TK_GE }, { "(", DT_TK_LPAR }, { ")", DT_TK_RPAR }, { "[", DT_TK_LBRAC }, { "]", DT_TK_RBRAC },
	{ "{", DT_TK_LBRACE }, { "}", DT_TK_RBRACE }, { ";", DT_TK_SEMI }, { ",", DT_TK_COMMA }, { ":", DT_TK_COLON },
	{ "?", DT_TK_QUEST }, { ".", DT_TK_DOT }, { "=", DT_TK_ASSIGN }, { "+", DT_TK_ADD }, { "-", DT_TK_SUB }, { "*", DT_TK_MUL },
	{ "/", DT_TK_DIV }, { "%", DT_TK_MOD }, { "&", DT_TK_AND }, { "|", DT_TK_OR }, { "^", DT_TK_XOR }, { "<", DT_TK_LT },
	{ ">", DT_TK_GT }, { "!", DT_TK_NOT }, { "~", DT_TK_BNOT },
};

static bool lex_punct(struct dt_cc *c, struct dt_token *t)
{
	size_t i, n;

	for (i = 0; i < sizeof(puncts) / sizeof(*puncts); i++) {
		n = strlen(puncts[i].text);
		if (!strncmp(c->pos, puncts[i].text, n)) {
			t->kind = puncts[i].kind;
			c->pos += n;
			return true;
		}
	}
	return false;
}

/* Is the / at c->pos the end of the predicate? Comments after it count as blanks. */
static bool ends_pred(const char *s)
{
	for (s++;; s++) {
		if (s[0] == '/' && s[1] == '*') {
			const char *end = strstr(s + 2, "*/");

			if (!end)
				return true;
			s = end + 1;
		} else if (!is_space((unsigned char)*s)) {
			return !*s || *s == ';' || *s == '{' || *s == '/';
		}
	}
}

static void begin(struct dt_cc *c, struct dt_token *t)
{
	skip(c);
	memset(t, 0, sizeof(*t));
	t->line = c->line;
	t->start = c->pos;
}

void dt_lex(struct dt_cc *c)
{
	struct dt_token *t = &c->tok;
	int ch;

	begin(c, t);
	ch = (unsigned char)*c->pos;
	if (!ch) {
		t->kind = DT_TK_EOF;
	} else if (isdigit(ch) || (ch == '.' && isdigit((unsigned char)c->pos[1]))) {
		t->kind = DT_TK_INT;
		c->pos += dt_lex_number(c, t, c->pos);
	} else if (dt_lex_is_ident(ch, true)) {
		lex_word(c, t);
	} else if (ch == '"') {
		lex_string(c, t);
	} else if (ch == '\'') {
		lex_char(c, t);
	} else if (ch == '@') {
		const char *s = ++c->pos;

		if (dt_lex_is_ident((unsigned char)*s, true) && *s != '`')
			while (dt_lex_is_ident((unsigned char)*s, false) && *s != '`')
				s++;
		t->kind = DT_TK_AGG;
		t->text = s == c->pos ? "_" : dt_strndup(c, c->pos, (size_t)(s - c->pos));
		c->pos = s;
	} else if (ch == '$') {
		c->pos++;
		dt_macro(c, t);
	} else if (ch == '/' && c->in_pred && ends_pred(c->pos)) {
		t->kind = DT_TK_EPRED;
		c->pos++;
	} else if (!lex_punct(c, t)) {
		dt_fail(c, c->line, D_SYNTAX, "syntax error near \"%c\"", ch);
	}
	t->srclen = (uint32_t)(c->pos - t->start);
}

/* Does a word begin a declaration? Keywords that can, and names of types. */
static bool starts_decl(struct dt_cc *c, const char *word)
{
	switch (dt_lex_keyword(word)) {
	case DT_KW_NONE:
		return dt_type_named(c, word);
	case DT_KW_AUTO: case DT_KW_CHAR: case DT_KW_CONST: case DT_KW_DOUBLE: case DT_KW_ENUM: case DT_KW_EXTERN:
	case DT_KW_FLOAT: case DT_KW_INLINE: case DT_KW_INT: case DT_KW_LONG: case DT_KW_PROVIDER: case DT_KW_REGISTER:
	case DT_KW_RESTRICT: case DT_KW_SELF: case DT_KW_SHORT: case DT_KW_SIGNED: case DT_KW_STATIC: case DT_KW_STRING:
	case DT_KW_STRUCT: case DT_KW_THIS: case DT_KW_TRANSLATOR: case DT_KW_TYPEDEF: case DT_KW_UNION: case DT_KW_UNSIGNED:
	case DT_KW_VOID: case DT_KW_VOLATILE:
		return true;
	case DT_KW_ELSE: case DT_KW_IF: case DT_KW_OFFSETOF: case DT_KW_SIZEOF: case DT_KW_STRINGOF: case DT_KW_XLATE:
	case DT_KW_RESERVED:
		return false;
	}
	return false;
}

void dt_lex_top(struct dt_cc *c)
{
	struct dt_token *t = &c->tok;
	const char *s, *w;
	char *word;

	begin(c, t);
	s = c->pos;
	if (!*s) {
		t->kind = DT_TK_EOF;
	} else if (isdigit((unsigned char)*s)) {
		t->kind = DT_TK_INT;
		c->pos += dt_lex_number(c, t, c->pos);
	} else if (is_pspec((unsigned char)*s, true)) {
		while (is_pspec((unsigned char)*s, false))
			s++;
		for (w = c->pos;
		     w < s && dt_lex_is_ident((unsigned char)*w, w == c->pos) && *w != '`'; w++)
			;
		word = dt_strndup(c, c->pos, (size_t)(w - c->pos));
		/* "int*x" is a declaration, "int:::entry" and "inti*" are descriptions */
		if (w > c->pos && (w == s || (*w == '*' && !c->src->pspec)) && starts_decl(c, word)) {
			lex_word(c, t);
		} else {
			t->kind = DT_TK_PSPEC;
			t->text = dt_strndup(c, c->pos, (size_t)(s - c->pos));
			c->pos = s;
		}
	} else if (!lex_punct(c, t)) {
		dt_fail(c, c->line, D_SYNTAX, "syntax error near \"%c\"", *s);
	}
	t->srclen = (uint32_t)(c->pos - t->start);
}

void dt_syntax(struct dt_cc *c)
{
	if (c->tok.kind == DT_TK_EOF)
		dt_fail(c, c->tok.line, D_SYNTAX, "syntax error near end of input");
	dt_fail(c, c->tok.line, D_SYNTAX, "syntax error near \"%.*s\"",
		(int)(c->tok.srclen < 80 ? c->tok.srclen : 80), c->tok.start);
}
