/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "common/core/text.h"
#include "common/dump/secret.h"

/* --- Words before a password ------------------------------------------------------------------ */

/*
 * Words before passwords in texts. Sources: id and mvdsv sv_main.c, sv_ccmds.c and sv_user.c
 * (password, spectator_password, rcon_password, master_rcon_password, login), Quake II and Q2PRO
 * sv_main.c (password, spectator_password, rcon), Q2Admin g_cmd.c (!admin, !bypass, !setadmin),
 * ProQuake (pq_password), FTE cl_main.c (guid), KTX admin.c (admin).
 */

enum word_kind {
    IN_INFO = 1,        /* key of info strings whose value is a password */
    VARIABLE = 2,       /* console variable whose value is a password */
    COMMAND = 4,        /* command whose first argument is a password */
    COMMAND_LINE = 8,   /* command whose whole arguments are a password */
    UNLESS_NUMBER = 16, /* values 0 to 3 are no passwords, but flags */
    FORWARDED = 32,     /* COMMAND_LINE only after "cmd": QTV's AUTH has no password */
    BY_PATTERN = 64,    /* find_word(): also accepts words that match `patterns` */
};

static const struct qs_secret_word {
    const char *name;
    unsigned kinds;
} words[] = {
    {"password", IN_INFO | VARIABLE},
    {"spectator", IN_INFO | UNLESS_NUMBER},
    {"spectator_password", IN_INFO | VARIABLE},
    {"rcon_password", IN_INFO | VARIABLE},
    {"rcon_low_password", VARIABLE},
    {"master_rcon_password", VARIABLE},
    {"admin_password", IN_INFO | VARIABLE},
    {"qtv_password", VARIABLE},
    {"pq_password", VARIABLE},
    {"_pw", IN_INFO | VARIABLE},
    {"guid", IN_INFO},
    {"*guid", IN_INFO},
    {"cl_guid", IN_INFO | VARIABLE},
    {"userkey", IN_INFO | VARIABLE},
    {"authkey", IN_INFO},
    {"steamid", IN_INFO | UNLESS_NUMBER},
    {"rcon", COMMAND},
    {"0x44495547", COMMAND}, /* FTE's line with the GUID in a connection request */
    {"login", COMMAND_LINE},
    {"auth", FORWARDED},
    {"logon", COMMAND_LINE},
    {"admin", COMMAND_LINE},
    {"referee", COMMAND_LINE},
    {"!admin", COMMAND_LINE},
    {"!bypass", COMMAND_LINE},
    {"!setadmin", COMMAND_LINE},
};

/* Commands that set a variable. */
static const char *const setters[] = {"set", "seta", "sets", "setu", "setinfo", "cmd", NULL};
/* Words between a variable and its value, as servers print it. */
static const char *const signs[] = {"is", "=", ":", NULL};

static bool equals(struct qs_view text, const char *word)
{
    return qs_view_is_one_of(text, (const char *const[]){word, NULL});
}

/* True for flags before a variable in a server's list of variables, in one word or several. */
static bool is_flags(struct qs_view text)
{
    bool all = text.size <= 5;

    for (uint32_t i = 0; i < text.size && all; i++)
        all = text.data[i] && strchr("*-?acdlnrsu", g_ascii_tolower((char)text.data[i]));
    return all;
}

/* Patterns for keys and variables of mods. */
static const char *const patterns[] = {"*pass*", "*pw*", "*token*", "rcon*", "*secret*"};

static bool is_like_password(struct qs_view text)
{
    char name[33] = "";
    bool is_word = text.size < sizeof name, found = false;

    for (uint32_t i = 0; i < text.size && is_word; i++) {
        name[i] = g_ascii_tolower(qs_view_character(text, i));
        is_word = g_ascii_isalnum(name[i]) || (name[i] && strchr("_*-.", name[i]));
    }
    for (size_t i = 0; i < G_N_ELEMENTS(patterns) && is_word && !found; i++)
        found = g_pattern_match_simple(patterns[i], name);
    return found;
}

static const struct qs_secret_word *find_word(struct qs_view text, unsigned kinds)
{
    static const struct qs_secret_word other = {"", VARIABLE | UNLESS_NUMBER};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (words[i].kinds & kinds && equals(text, words[i].name))
            return &words[i];
    return kinds & BY_PATTERN && is_like_password(text) ? &other : NULL;
}

/* True unless the value means no password ("none"), is hidden already (asterisks), or is a macro of
 * the client, as a mod's variable may be. */
static bool is_password(const struct qs_secret_word *word, struct qs_view value)
{
    bool hidden = true;

    for (uint32_t i = 0; i < value.size && hidden; i++)
        hidden = value.data[i] == '*';
    if (hidden || equals(value, "none") || (!*word->name && value.data[0] == '$'))
        return false;
    return !(word->kinds & UNLESS_NUMBER) || value.size != 1 || !strchr("0123", *value.data);
}

static bool is_end(uint8_t byte)
{
    return byte == 0 || byte == 0xff || byte == '\n';
}

/* --- Info strings --- */

static uint32_t end_of_part(struct qs_view text, uint32_t at)
{
    while (at < text.size && text.data[at] != '\\' && text.data[at] != '"' &&
           !is_end(text.data[at]))
        at++;
    return at;
}

/* Finds a password in the key and value after the backslash at `at`. Returns false if none. */
static bool look_at_pair(struct qs_view text, uint32_t at, struct qs_view *secret)
{
    const uint32_t key = at + 1, key_end = end_of_part(text, key);
    const struct qs_secret_word *word = NULL;
    uint32_t end;

    if (key_end < text.size && text.data[key_end] == '\\' && key_end - key <= QS_INFO_PART_MAX)
        word = find_word((struct qs_view){text.data + key, key_end - key}, IN_INFO | BY_PATTERN);
    if (!word)
        return false;
    end = end_of_part(text, key_end + 1);
    *secret = (struct qs_view){text.data + key_end + 1, end - key_end - 1};
    return is_password(word, *secret);
}

/* --- Commands --- */

/*
 * Limits for commands, which begin at certain bytes and blanks after them. The name must be within
 * a few bytes and words, so that the time is linear in the text's length.
 */
enum { NAME_WITHIN = 128, WORDS_BEFORE_NAME = 4, LINE_MAX_SIZE = 2048 };

static bool begins_behind(uint8_t byte, bool begins)
{
    return is_end(byte) || byte == ';' || byte == '"' || byte < ' ' || (byte == ' ' && begins);
}

/* Returns the command that begins at `at`, or its first `size` bytes. */
static struct qs_view line_at(struct qs_view text, uint32_t at, uint32_t size)
{
    const struct qs_view part = {text.data, at + MIN(size, text.size - at)};
    const uint32_t limit = qs_command_end(part, at);
    uint32_t end = at;

    while (end < limit && !is_end(text.data[end]))
        end++;
    return (struct qs_view){text.data + at, end - at};
}

struct secret_command {
    struct qs_view line;
    uint32_t pos;
    bool is_set;     /* a setter comes before it */
    bool is_printed; /* printed by a server: quoted, or followed by a sign */
    bool is_padded;  /* printed in columns, as user info is */
};

static bool next_word(struct secret_command *command, struct qs_token *token)
{
    if (!qs_token_next(command->line, &command->pos, token))
        return false;
    if (token->text.size && token->text.data[token->text.size - 1] == ':') {
        token->text.size--;
        command->is_printed = true;
    }
    return true;
}

/* Returns the argument of the word, or all arguments of a COMMAND_LINE. */
static struct qs_view value_behind(struct secret_command *command,
                                   const struct qs_secret_word *word)
{
    const uint32_t name_end = command->pos;
    struct qs_token token;
    bool is_sign;

    do {
        if (!qs_token_next(command->line, &command->pos, &token))
            return (struct qs_view){0};
        is_sign = qs_view_is_one_of(token.text, signs);
        command->is_printed |= is_sign || token.text.size < token.length;
        command->is_padded |= token.offset >= name_end + 2;
    } while (is_sign);
    if (word->kinds & (COMMAND_LINE | FORWARDED))
        token.text.size = (uint32_t)(command->line.data + command->line.size - token.text.data);
    return token.text;
}

/* Reads the first word that is neither a flag nor a setter. Returns false if there is none. */
static bool skip_to_name(struct secret_command *command, bool from_client, struct qs_token *token)
{
    for (unsigned i = 0; i <= WORDS_BEFORE_NAME && next_word(command, token); i++) {
        const bool is_setter = qs_view_is_one_of(token->text, setters);

        command->is_set = command->is_set || is_setter;
        if (!is_setter && (from_client || !is_flags(token->text)))
            return true;
    }
    return false;
}

static bool look_at_command(struct qs_view text, uint32_t at, bool from_client,
                            struct qs_view *secret)
{
    struct secret_command command = {.line = line_at(text, at, NAME_WITHIN)};
    const struct qs_secret_word *word;
    struct qs_token token;

    if (!skip_to_name(&command, from_client, &token))
        return false;
    word =
        find_word(token.text, BY_PATTERN | VARIABLE | COMMAND | COMMAND_LINE |
                                  (command.is_set ? FORWARDED : 0) | (from_client ? 0 : IN_INFO));
    if (!word || (!from_client && !(word->kinds & (VARIABLE | IN_INFO))))
        return false;
    command.is_printed = command.is_printed || token.text.size < token.length;
    command.line =
        line_at(text, at, word->kinds & (COMMAND_LINE | FORWARDED) ? text.size : LINE_MAX_SIZE);
    *secret = value_behind(&command, word);
    if (!from_client && !command.is_set && !command.is_padded &&
        !(command.is_printed && word->kinds & VARIABLE))
        return false;
    return secret->size && is_password(word, *secret);
}

/* --- Info strings and commands --- */

bool qs_secret_next(struct qs_view text, bool from_client, uint32_t *pos, struct qs_view *secret)
{
    bool begins = true;

    for (uint32_t at = *pos; at < text.size; at++) {
        const uint8_t byte = text.data[at];

        if ((byte == '\\' && look_at_pair(text, at, secret)) ||
            (begins && byte > ' ' && look_at_command(text, at, from_client, secret))) {
            *pos = (uint32_t)(secret->data + secret->size - text.data);
            return true;
        }
        begins = begins_behind(byte, begins);
    }
    *pos = text.size;
    return false;
}

/* Sets `*secret` to the password in the text after the key. Returns false if there is none. */
static bool password_behind(const struct qs_secret_word *key, struct qs_view text,
                            struct qs_view *secret)
{
    struct qs_token first;
    uint32_t pos = 0;

    *secret = text;
    if (key->kinds & COMMAND && qs_token_next(text, &pos, &first))
        *secret = first.text;
    return is_password(key, *secret);
}

/* --- Passwords found in a packet --- */

static bool is_within(struct qs_view part, struct qs_view whole)
{
    return part.data >= whole.data && part.data + part.size <= whole.data + whole.size;
}

static bool is_known(const struct qs_secret_redactor *redactor, struct qs_view secret)
{
    for (unsigned i = 0; i < redactor->span_count; i++)
        if (is_within(secret, redactor->spans[i]))
            return true;
    return false;
}

/* Reports a password to the sink. Texts of the session were reported with an earlier packet. */
static void report(const struct qs_decoder *d, struct qs_view secret)
{
    const struct qs_view bytes = {d->in.data, d->in.size};
    uint32_t offset;

    if (!d->sink || !d->sink->secret || !is_within(secret, bytes))
        return;
    offset = (uint32_t)(secret.data - d->in.data);
    d->sink->secret(d->sink, d->source_depth ? offset : d->origin + offset, secret.size);
}

static void remember(struct qs_secret_redactor *redactor, const struct qs_decoder *d,
                     struct qs_view secret)
{
    if (!secret.size || is_known(redactor, secret))
        return;
    redactor->count++;
    report(d, secret);
    if (redactor->span_count < QS_SECRET_SPANS_MAX)
        redactor->spans[redactor->span_count++] = secret;
    else
        redactor->too_many = true;
}

/* --- Masks --- */

static void append_plain(GString *out, const uint8_t *from, const uint8_t *to)
{
    g_string_append_len(out, (const char *)from, (gssize)(to - from));
}

/* Returns the known password that covers the byte `at`, or an empty view; `text` if too many. */
static struct qs_view span_over(const struct qs_secret_redactor *redactor, struct qs_view text,
                                const uint8_t *at)
{
    if (redactor->too_many)
        return text;
    for (unsigned i = 0; i < redactor->span_count; i++)
        if (is_within((struct qs_view){at, 1}, redactor->spans[i]))
            return redactor->spans[i];
    return (struct qs_view){0};
}

/* Returns the text with asterisks for known passwords; the text itself if it has none. */
static struct qs_view masked(struct qs_secret_redactor *redactor, struct qs_view text,
                             bool each_byte)
{
    const uint8_t *at = text.data, *end = text.data + text.size, *plain = at;
    GString *out = redactor->masked;

    g_string_truncate(out, 0);
    while (at < end) {
        const struct qs_view span = span_over(redactor, text, at);
        const uint8_t *stop = span.size ? MIN(span.data + span.size, end) : at + 1;

        if (span.size) {
            append_plain(out, plain, at);
            if (!each_byte)
                g_string_append(out, QS_SECRET_MASK);
            for (; each_byte && at < stop; at++)
                g_string_append_c(out, '*');
            plain = stop;
        }
        at = stop;
    }
    if (plain == text.data)
        return text;
    append_plain(out, plain, end);
    return (struct qs_view){(const uint8_t *)out->str, (uint32_t)out->len};
}

/* --- Redactor --- */

static void search(struct qs_secret_redactor *redactor, const struct qs_decoder *d,
                   struct qs_view text)
{
    struct qs_view secret;
    uint32_t pos = 0;

    while (qs_secret_next(text, d->found.direction != QS_S2C, &pos, &secret))
        remember(redactor, d, secret);
}

static void search_text(struct qs_secret_redactor *redactor, const struct qs_decoder *d,
                        const struct qs_field *row, struct qs_view text)
{
    struct qs_view secret;

    if (row->role != QS_ROLE_SECRET && redactor->key &&
        password_behind(redactor->key, text, &secret))
        remember(redactor, d, secret);
    redactor->key = row->role == QS_ROLE_SECRET
                        ? NULL
                        : find_word(text, IN_INFO | VARIABLE | COMMAND | COMMAND_LINE);
}

static const struct qs_field *redact_number(struct qs_secret_redactor *redactor,
                                            const struct qs_field *row, struct qs_value *value)
{
    redactor->count += value->u != 0;
    if (!value->u || !redactor->hide)
        return row;
    value->bytes = qs_view_of(QS_SECRET_MASK);
    redactor->mask = *row;
    redactor->mask.type = QS_TEXT;
    return &redactor->mask;
}

static const struct qs_field *redact_value(struct qs_redactor *base, const struct qs_decoder *d,
                                           const struct qs_field *row, struct qs_value *value)
{
    struct qs_secret_redactor *redactor = (struct qs_secret_redactor *)base;
    const bool is_text = row->type == QS_TEXT;

    if (row->role == QS_ROLE_SECRET && !is_text)
        return redact_number(redactor, row, value);
    if (!is_text && row->type != QS_BYTES)
        return row;
    if (row->role == QS_ROLE_SECRET)
        remember(redactor, d, value->bytes);
    if (is_text && !value->generated)
        search_text(redactor, d, row, value->bytes);
    search(redactor, d, value->bytes);
    if (redactor->hide && redactor->span_count)
        value->bytes = masked(redactor, value->bytes, !is_text);
    return row;
}

static struct qs_view redact_text(struct qs_redactor *base, const struct qs_decoder *d,
                                  struct qs_view text)
{
    struct qs_secret_redactor *redactor = (struct qs_secret_redactor *)base;
    const bool is_value = text.data == (const uint8_t *)redactor->masked->str;

    if (!redactor->hide || is_value)
        return text;
    search(redactor, d, text);
    return redactor->span_count ? masked(redactor, text, false) : text;
}

static void begin_packet(struct qs_redactor *base)
{
    struct qs_secret_redactor *redactor = (struct qs_secret_redactor *)base;

    redactor->count = redactor->span_count = 0;
    redactor->too_many = false;
    redactor->key = NULL;
}

void qs_secret_redactor_init(struct qs_secret_redactor *redactor, bool hide)
{
    *redactor = (struct qs_secret_redactor){
        .base = {.begin = begin_packet, .value = redact_value, .text = redact_text},
        .hide = hide,
        .masked = g_string_new(NULL)};
}

void qs_secret_redactor_clear(struct qs_secret_redactor *redactor)
{
    g_string_free(redactor->masked, TRUE);
}
