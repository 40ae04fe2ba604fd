/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Console commands in svc_stufftext, clc_stringcmd and connectionless packets. Source: qwd-format
 * 5.10; PROTOCOL.md, sections 1 and 6; the engines' cbuf.
 */

#include "common/core/emit.h"
#include "common/quakeworld/decode.h"

void qw_emit_z_ext(struct qs_decoder *d, struct qs_view key, struct qs_view value, uint32_t offset)
{
    if (qs_view_equal(key, "*z_ext"))
        qs_emit_generated_uint(d, QW_Z_EXT, offset, value.size, qs_view_unsigned(value));
}

void qw_emit_info(struct qs_decoder *d, struct qs_view info, uint32_t offset)
{
    static const struct qs_info_rows rows = {QW_INFO, QW_INFO_KEY, QW_INFO_VALUE};
    struct qs_info_pair pair;
    uint32_t pos = 0;

    if (!d->fields_wanted)
        return;
    qs_emit_info(d, &rows, info, offset);
    while (qs_info_next(info, &pos, &pair))
        qw_emit_z_ext(d, pair.key, pair.value, offset + pair.value_offset);
}

struct command_meaning {
    const char *name, *meaning;
};

/* Commands with a meaning in the protocol, in either direction. */
static const struct command_meaning known_commands[] = {
    {"begin", "the client is in the game"},
    {"bf", "the screen flashes: an item was picked up"},
    {"changing", "a new level is being loaded"},
    {"cmd", "the client is to send the rest as clc_stringcmd"},
    {"disconnect", "the client is to leave"},
    {"download", "asks for a file"},
    {"drop", "the client leaves"},
    {"fullserverinfo", "the whole server info"},
    {"infoset", "sets a part of a large info string"},
    {"modellist", "asks for the model list"},
    {"new", "asks for svc_serverdata"},
    {"nextdl", "asks for the next part of a file"},
    {"nextul", "asks for the next part of an upload"},
    {"packet", "the client is to send a connectionless packet"},
    {"pext", "protocol extensions that the client supports"},
    {"play", "plays a sound"},
    {"prespawn", "asks for baselines and static entities"},
    {"ptrack", "whom a spectator follows"},
    {"qtvmodellist", "QTV: asks for the model list"},
    {"qtvsoundlist", "QTV: asks for the sound list"},
    {"qtvspawn", "QTV: asks for the state of the game"},
    {"qul", "QTV: a proxy tells who watches: 1 came, 2 changed, 3 left"},
    {"reconnect", "the client is to ask for the level again"},
    {"say", "chat"},
    {"say_team", "chat with the team"},
    {"serverinfo", "asks for the server info"},
    {"setinfo", "sets a key of the user info"},
    {"skins", "the client is to load the players' skins"},
    {"soundlist", "asks for the sound list"},
    {"spawn", "asks for the state of the game"},
    {"stopul", "ends an upload"},
    {"//qul", "QTV: who watches: 1 came, 2 changed, 3 left, 4 was there"},
    {"//vwep", "visible weapon models"},
};

static const char *meaning_of(struct qs_view name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(known_commands); i++)
        if (qs_view_equal(name, known_commands[i].name))
            return known_commands[i].meaning;
    return NULL;
}

static void emit_word(struct qs_decoder *d, const struct qs_token *word, uint32_t offset,
                      bool first)
{
    const uint32_t at = offset + word->offset;
    const uint32_t text_at = word->text.size < word->length ? at + 1 : at;

    if (first) {
        qs_emit_bytes(d, QW_COMMAND_NAME, at, word->length, word->text);
        qs_emit_generated_text(d, QW_COMMAND_MEANING, at, word->length, meaning_of(word->text));
        return;
    }
    qs_emit_bytes(d, QW_COMMAND_ARGUMENT, at, word->length, word->text);
    if (word->text.size && word->text.data[0] == '\\')
        qw_emit_info(d, word->text, text_at);
}

static void emit_command(struct qs_decoder *d, struct qs_view line, uint32_t offset)
{
    struct qs_token word;
    uint32_t pos = 0;
    bool first = true;

    qs_open_at(d, QW_COMMAND, offset);
    qs_label_text(d, ": ", line, "");
    for (; qs_token_next(line, &pos, &word); first = false)
        emit_word(d, &word, offset, first);
    fte_emit_pext(d, line, offset);
    qs_close_at(d, offset + line.size);
}

static bool is_blank(struct qs_view text)
{
    uint32_t pos = 0;
    struct qs_token word;

    return !qs_token_next(text, &pos, &word);
}

void qw_emit_commands(struct qs_decoder *d, struct qs_view text, uint32_t offset)
{
    if (!d->fields_wanted || d->in.overrun)
        return;
    for (uint32_t at = 0; at < text.size;) {
        const uint32_t end = qs_command_end(text, at);
        const struct qs_view line = {text.data + at, end - at};

        if (!is_blank(line))
            emit_command(d, line, offset + at);
        at = end + 1;
    }
}

struct qs_view qw_read_commands(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const struct qs_view text = qs_text(d, id);

    qs_label_text(d, ": ", text, "");
    qw_emit_commands(d, text, at);
    return text;
}
