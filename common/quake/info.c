/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Info strings in console commands of the server. QuakeSpasm-Spiked and FTE send them as comments,
 * which other clients ignore. Source: PROTOCOL.md, section 10.
 */
#include "common/core/emit.h"
#include "common/core/text.h"
#include "common/quake/decode.h"

static const struct qs_info_rows rows = {NQ_INFO, NQ_INFO_KEY, NQ_INFO_VALUE};

/* Console command that is being read, and number of bytes read of its line. */
struct info_command {
    struct qs_view line;
    uint32_t offset; /* offset of the line in the buffer */
    uint32_t pos;
};

static bool next_word(struct info_command *command, struct qs_token *word)
{
    return qs_token_next(command->line, &command->pos, word);
}

static void emit_word(struct qs_decoder *d, const struct info_command *command, unsigned id,
                      const struct qs_token *word)
{
    qs_emit_bytes(d, id, command->offset + word->offset, word->length, word->text);
}

static bool next_slot(struct qs_decoder *d, struct info_command *command, uint8_t *slot)
{
    struct qs_token word;
    int64_t number;

    if (!next_word(command, &word) || !qs_view_number_within(word.text, 0, UINT8_MAX, &number))
        return false;
    *slot = (uint8_t)number;
    qs_emit_uint(d, NQ_USERINFO_PLAYER, command->offset + word.offset, word.length, *slot);
    return true;
}

/* Commands with the arguments SLOT "INFO" or SLOT "KEY" "VALUE"; the server's have no slot. A
 * player without a name is not in the game. */
static const struct known_command {
    const char *name;
    unsigned group;
    bool whole; /* true: all of the info string; false: one key */
} known_commands[] = {
    {"//ui", NQ_USERINFO, false},
    {"//fui", NQ_USERINFO, true},
    {"//svi", NQ_SERVERINFO_STRING, false},
    {"//fullserverinfo", NQ_SERVERINFO_STRING, true},
};

static void read_arguments(struct qs_decoder *d, struct info_command *command,
                           const struct known_command *known)
{
    const bool of_player = known->group == NQ_USERINFO;
    struct qs_token info, value;
    uint8_t slot = 0;

    if ((of_player && !next_slot(d, command, &slot)) || !next_word(command, &info) ||
        (!known->whole && !next_word(command, &value)))
        return;
    if (of_player && (known->whole || qs_view_equal(info.text, "name")))
        qs_table_set_name(&nq_session_of(d)->players, slot,
                          known->whole ? qs_info_value(info.text, "name") : value.text);
    if (known->whole) {
        qs_emit_info(d, &rows, info.text,
                     command->offset + info.offset + (info.text.size < info.length));
        return;
    }
    qs_open_at(d, NQ_INFO, command->offset + info.offset);
    emit_word(d, command, NQ_INFO_KEY, &info);
    emit_word(d, command, NQ_INFO_VALUE, &value);
    qs_close_at(d, command->offset + value.offset + value.length);
}

static void read_command(struct qs_decoder *d, struct info_command *command)
{
    struct qs_token name;

    if (!next_word(command, &name))
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(known_commands); i++)
        if (qs_view_equal(name.text, known_commands[i].name)) {
            qs_open_at(d, known_commands[i].group, command->offset);
            qs_label_text(d, ": ", command->line, "");
            read_arguments(d, command, &known_commands[i]);
            qs_close_at(d, command->offset + command->line.size);
            return;
        }
}

void nq_read_info_commands(struct qs_decoder *d, struct qs_view commands, uint32_t offset)
{
    if (d->in.overrun || commands.size < 2 || !memchr(commands.data, '/', commands.size))
        return;
    for (uint32_t at = 0; at < commands.size;) {
        const uint32_t end = qs_command_end(commands, at);
        struct info_command command = {{commands.data + at, end - at}, offset + at, 0};

        read_command(d, &command);
        at = end + 1;
    }
}
