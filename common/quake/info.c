/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Info strings in console commands of the server, as QuakeSpasm-Spiked and FTE send them: comments
 * to other clients. Source: PROTOCOL.md, section 10.
 */
#include "common/core/emit.h"
#include "common/core/infostring.h"
#include "common/core/text.h"
#include "common/quake/decode.h"

static const struct qs_info_rows rows = {NQ_INFO, NQ_INFO_KEY, NQ_INFO_VALUE};

/* A console command that is being read: `pos` bytes of the line are read. */
struct command {
    struct qs_view line;
    uint32_t offset; /* of its first byte in the source */
    uint32_t pos;
};

static bool next_word(struct command *command, struct qs_token *word)
{
    return qs_token_next(command->line, &command->pos, word);
}

static void emit_word(struct qs_decoder *d, const struct command *command, unsigned id,
                      const struct qs_token *word)
{
    qs_emit_bytes(d, id, command->offset + word->offset, word->length, word->text);
}

/* The text of a word, behind its quotation mark. */
static uint32_t text_offset(const struct command *command, const struct qs_token *word)
{
    return command->offset + word->offset + (word->text.size < word->length);
}

/* --- Players --- */

static bool next_slot(struct qs_decoder *d, struct command *command, uint8_t *slot)
{
    struct qs_token word;
    int64_t number;

    if (!next_word(command, &word) || !qs_view_number(word.text, &number) || number < 0 ||
        number > UINT8_MAX)
        return false;
    *slot = (uint8_t)number;
    qs_emit_uint(d, NQ_USERINFO_PLAYER, command->offset + word.offset, word.length, *slot);
    return true;
}

/* One that has no name is not in the game. */
static void learn_name(struct qs_decoder *d, uint8_t slot, struct qs_view name)
{
    qs_table_set_name(&nq_session_of(d)->players, slot, name);
}

/* //fui SLOT "INFO": all of a player's. */
static void read_full_user_info(struct qs_decoder *d, struct command *command)
{
    struct qs_token info;
    uint8_t slot;

    if (!next_slot(d, command, &slot) || !next_word(command, &info))
        return;
    learn_name(d, slot, qs_info_value(info.text, "name"));
    qs_emit_info(d, &rows, info.text, text_offset(command, &info));
}

static void emit_pair(struct qs_decoder *d, const struct command *command,
                      const struct qs_token *key, const struct qs_token *value)
{
    qs_open_at(d, NQ_INFO, command->offset + key->offset);
    emit_word(d, command, NQ_INFO_KEY, key);
    emit_word(d, command, NQ_INFO_VALUE, value);
    qs_close_at(d, command->offset + value->offset + value->length);
}

/* //ui SLOT "KEY" "VALUE": a part of it. */
static void read_user_info(struct qs_decoder *d, struct command *command)
{
    struct qs_token key, value;
    uint8_t slot;

    if (!next_slot(d, command, &slot) || !next_word(command, &key) || !next_word(command, &value))
        return;
    if (qs_view_equal(key.text, "name"))
        learn_name(d, slot, value.text);
    emit_pair(d, command, &key, &value);
}

/* --- The server --- */

static void read_full_server_info(struct qs_decoder *d, struct command *command)
{
    struct qs_token info;

    if (next_word(command, &info))
        qs_emit_info(d, &rows, info.text, text_offset(command, &info));
}

static void read_server_info(struct qs_decoder *d, struct command *command)
{
    struct qs_token key, value;

    if (next_word(command, &key) && next_word(command, &value))
        emit_pair(d, command, &key, &value);
}

/* --- Commands --- */

static const struct known_command {
    const char *name;
    unsigned group;
    void (*read)(struct qs_decoder *d, struct command *command);
} known_commands[] = {
    {"//ui", NQ_USERINFO, read_user_info},
    {"//fui", NQ_USERINFO, read_full_user_info},
    {"//svi", NQ_SERVERINFO_STRING, read_server_info},
    {"//fullserverinfo", NQ_SERVERINFO_STRING, read_full_server_info},
};

static void read_known(struct qs_decoder *d, struct command *command,
                       const struct known_command *known)
{
    qs_open_at(d, known->group, command->offset);
    qs_label_text(d, ": ", command->line, "");
    known->read(d, command);
    qs_close_at(d, command->offset + command->line.size);
}

static void read_command(struct qs_decoder *d, struct command *command)
{
    struct qs_token name;

    if (!next_word(command, &name))
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(known_commands); i++)
        if (qs_view_equal(name.text, known_commands[i].name)) {
            read_known(d, command, &known_commands[i]);
            return;
        }
}

void nq_read_info_commands(struct qs_decoder *d, struct qs_view commands, uint32_t offset)
{
    if (d->in.overrun || commands.size < 2 || !memchr(commands.data, '/', commands.size))
        return;
    for (uint32_t at = 0; at < commands.size;) {
        const uint32_t end = qs_command_end(commands, at);
        struct command command = {{commands.data + at, end - at}, offset + at, 0};

        read_command(d, &command);
        at = end + 1;
    }
}
