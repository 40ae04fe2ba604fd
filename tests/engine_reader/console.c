/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The consoles: how each engine cuts the text that a server sends into commands, and these into
 * words. Sources: id cmd.c, Cbuf_Execute, and common.c, COM_Parse; ezQuake cmd.c,
 * Cbuf_ExecuteEx, and cl_parse.c, CL_ParseStufftext; DarkPlaces cmd.c, Cbuf_ParseText, and
 * common.c, COM_ParseToken_Console; FTE cl_parse.c, CL_ParseStuffCmd.
 */
#include "tests/engine_reader/message.h"

#include <string.h>

enum { CONSOLE_MAX = 8192, SHOWN = 60 };

/* What ezQuake and FTE read out of comments and only show, with the arguments that cannot leave
 * their arrays: ezQuake hud_teaminfo.c, hud_weapon_stats.c, mvd_utils.c, cl_parse.c; fteqw
 * cl_parse.c. */
#define PLAYER " (1?[0-9]?[0-9]|2[0-4][0-9]|25[0-4])"
#define CLIENT " ([12]?[0-9]|3[0-2])(?<! 0)"
#define ENTITY " (1?[0-9]{1,3}|20[0-3][0-9]|204[0-7])"
#define NUMBER "(?: -?[0-9]{1,10}(?:[.][0-9]+)?)"
#define STATE NUMBER "{6}(?: (?:\"[^\"]*\"|[^ \"]+)" NUMBER "*)?"
static const char remarks[] =
    "^//(?:at" NUMBER "|cainfo" PLAYER STATE "|demomark.*|ktx (?:bp" ENTITY CLIENT "|di" NUMBER
    "{7}|drop" ENTITY NUMBER CLIENT "|expire" ENTITY "|matchstart|race (?:cp|end)" NUMBER
    "{5}|race pm" ENTITY "|race start" NUMBER "{2} [a-z]+|timer" ENTITY NUMBER
    "|took" ENTITY NUMBER CLIENT ")|qul" NUMBER "{2}(?: .*)?|sn" NUMBER PLAYER STATE
    "|tinfo" PLAYER STATE "|ucmd" NUMBER
    "{2,3}|vwep(?: (?!/)(?!\\S*[.][.])[^ ]{1,59}){0,32}|wps" PLAYER " [a-z]+" NUMBER "{2})$";

static bool follows(const struct reading *r, unsigned rule)
{
    return r->engine->console & rule;
}

static bool is_listed(const char *const *list, const char *word)
{
    for (; *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

static void found(struct reading *r, const char *what, const char *command)
{
    g_autofree char *shown = g_strescape(command, NULL);

    finding(r, "%s: %.*s", what, SHOWN, shown);
}

/* --- Words --- */

static bool is_space(const struct reading *r, uint8_t c)
{
    return c <= ' ' || (c >= 0x80 && follows(r, CONSOLE_HIGH));
}

static const char *end_of_quotes(const struct reading *r, const char *at)
{
    for (; *at && *at != '"'; at++)
        if (*at == '\\' && at[1] && follows(r, CONSOLE_ESCAPES))
            at++;
    return at;
}

/* The next word of a command, as a new text, or NULL; `*at` moves behind it. */
static char *next_word(const struct reading *r, const char **at)
{
    const char *start, *from;

    while (**at && is_space(r, (uint8_t) * *at))
        ++*at;
    from = *at;
    if (!*from || (from[0] == '/' && from[1] == '/'))
        return NULL;
    if (*from == '"') {
        start = from + 1;
        from = end_of_quotes(r, start);
        *at = *from ? from + 1 : from;
        return g_strndup(start, (gsize)(from - start));
    }
    for (start = from; *from && !is_space(r, (uint8_t)*from) && *from != '"';)
        from++;
    *at = from;
    return g_strndup(start, (gsize)(from - start));
}

/* --- Commands --- */

/* What some engine might go on with behind the command's end. */
static bool leaves_quotes_open(const char *command)
{
    unsigned quotes = 0;

    for (; *command; command++)
        quotes += *command == '"';
    return quotes % 2;
}

static void check_remark(struct reading *r, const char *command)
{
    static GRegex *known;

    if (!known)
        known = g_regex_new(remarks, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
    if (strpbrk(command, ";$\\\r") || leads_out(command) || leaves_quotes_open(command) ||
        (command[2] > ' ' && !g_regex_match(known, command, 0, NULL)))
        found(r, "remark", command);
}

static void carry_out(struct reading *r, const char *command)
{
    const char *at = command;
    char *name;

    if (follows(r, CONSOLE_REMARKS) && command[0] == '/' && command[1] == '/') {
        check_remark(r, command);
        return;
    }
    name = next_word(r, &at);
    if (!name)
        return;
    if (!is_listed(r->game->commands, name))
        found(r, "command", command);
    else if (follows(r, CONSOLE_MACROS) && strchr(command, '$'))
        found(r, "macro", command);
    else if (leaves_quotes_open(command))
        found(r, "open quotes", command);
    else if (strcmp(name, "fullserverinfo") == 0)
        check_info(r, at + strcspn(at, "\\"));
    else if (leads_out(command))
        found(r, "path", command);
    g_free(name);
}

/* Where the command that begins at `at` ends. */
static size_t end_of_command(const struct reading *r, const GString *text, size_t at)
{
    const bool remark = follows(r, CONSOLE_REMARKS) && g_str_has_prefix(text->str + at, "//");
    bool quotes = false, comment = remark;

    for (; at < text->len; at++) {
        const char c = text->str[at];

        if (c == '\n' || (c == '\r' && follows(r, CONSOLE_CR)))
            break;
        if (comment)
            continue;
        if (c == '\\' && quotes && follows(r, CONSOLE_ESCAPES) && at + 1 < text->len)
            at++;
        else if (c == '"')
            quotes = !quotes;
        else if (c == ';' && !quotes)
            break;
        else if (!quotes && follows(r, CONSOLE_COMMENTS) && c == '/' && text->str[at + 1] == '/')
            comment = true;
    }
    return at;
}

/*
 * The commands that the text holds. What no line feed ends is carried out at once by some engines,
 * and waits for more in others: it is looked at, and kept.
 */
static void run(struct reading *r)
{
    size_t at = 0;

    while (at < r->pending->len) {
        const size_t end = end_of_command(r, r->pending, at);
        g_autofree char *command = g_strndup(r->pending->str + at, end - at);

        carry_out(r, command);
        if (end == r->pending->len)
            break;
        at = end + 1;
    }
    g_string_erase(r->pending, 0, (gssize)at);
}

void console_text(struct reading *r, const GString *text)
{
    g_string_append_len(r->pending, text->str, (gssize)text->len);
    run(r);
    if (r->pending->len > CONSOLE_MAX)
        g_string_truncate(r->pending, 0);
}
