/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/emit.h"
#include "common/core/sink.h"
#include "common/core/text.h"

/* --- Notes ------------------------------------------------------------------------------------ */

const struct qs_note_kind qs_note_kinds[QS_NOTE_KINDS] = {
    [QS_NOTE_MALFORMED] = {"malformed", QS_SEVERITY_ERROR, QS_GROUP_MALFORMED, true,
                           "Malformed: runs past its end or contradicts itself"},
    [QS_NOTE_UNKNOWN_MESSAGE] = {"unknown_message", QS_SEVERITY_WARN, QS_GROUP_UNDECODED, true,
                                 "Message that this protocol version does not have"},
    [QS_NOTE_PROTOCOL_UNDECODED] = {"protocol.undecoded", QS_SEVERITY_WARN, QS_GROUP_UNDECODED,
                                    true, "Protocol extension or version not decoded"},
    [QS_NOTE_CUT] = {"cut", QS_SEVERITY_NOTE, QS_GROUP_UNDECODED, true,
                     "The capture holds only the first bytes of this packet"},
    [QS_NOTE_CHECKSUM_BAD] = {"move.checksum.bad", QS_SEVERITY_WARN, QS_GROUP_CHECKSUM, true,
                              "Move checksum does not match"},
    [QS_NOTE_SEQUENCE_GAP] = {"sequence.gap", QS_SEVERITY_NOTE, QS_GROUP_SEQUENCE, false,
                              "Sequence numbers skipped"},
    [QS_NOTE_LOST] = {"sequence.lost", QS_SEVERITY_WARN, QS_GROUP_SEQUENCE, false,
                      "Lost on the path, or not captured"},
    [QS_NOTE_SEQUENCE_STALE] = {"sequence.stale", QS_SEVERITY_WARN, QS_GROUP_SEQUENCE, false,
                                "Late packet: the receiver drops it"},
    [QS_NOTE_SEQUENCE_DUPLICATE] = {"sequence.duplicate", QS_SEVERITY_NOTE, QS_GROUP_SEQUENCE,
                                    false, "Duplicate packet: the receiver drops it"},
    [QS_NOTE_NOT_CAPTURED] = {"sequence.not_captured", QS_SEVERITY_WARN, QS_GROUP_SEQUENCE, false,
                              "The capture lacks data that was received"},
    [QS_NOTE_RETRANSMISSION] = {"retransmission", QS_SEVERITY_NOTE, QS_GROUP_SEQUENCE, false,
                                "Sent again"},
    [QS_NOTE_LIMIT] = {"limit", QS_SEVERITY_WARN, QS_GROUP_UNDECODED, true,
                       "Packet exceeds a limit of the decoder"},
    [QS_NOTE_UNUSUAL] = {"unusual", QS_SEVERITY_CHAT, QS_GROUP_PROTOCOL, false,
                         "Legal but unusual"},
};

/* Emits the parts of an integer: the rows with a mask that follow its row. */
static void emit_parts(struct qs_decoder *d, unsigned id, const struct qs_value *whole)
{
    const struct qs_field *row = &d->protocol->fields[id];

    if (row->mask)
        return;
    while (++id < d->protocol->field_count && d->protocol->fields[id].mask) {
        const uint32_t mask = d->protocol->fields[id].mask;
        struct qs_value part = *whole;

        part.u = (whole->u & mask) >> g_bit_nth_lsf(mask, -1);
        d->sink->field(d->sink, &d->protocol->fields[id], &part);
    }
}

/* Converts an offset to the sink's: the payload begins at the origin, other sources at 0. */
static uint32_t location(const struct qs_decoder *d, uint32_t offset)
{
    return d->source_depth ? offset : d->origin + offset;
}

void qs_emit_value(struct qs_decoder *d, unsigned id, const struct qs_value *value)
{
    const struct qs_field *row = &d->protocol->fields[id], *shown = row;
    struct qs_value located = *value;

    if (d->in.overrun)
        return;
    if (d->redactor)
        shown = d->redactor->value(d->redactor, d, row, &located);
    if (d->want_summary && row->brief)
        qs_summary_value(d, row, &located);
    if (!d->fields_wanted)
        return;
    located.offset = location(d, value->offset);
    d->sink->field(d->sink, shown, &located);
    if (shown == row)
        emit_parts(d, id, &located);
}

#define QS_EMITTER_WANTED(function, type, member, derived)                                         \
    void function##_wanted(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,    \
                           type value)                                                             \
    {                                                                                              \
        qs_emit_value(d, id, &(struct qs_value){offset, length, derived, .member = value});        \
    }

QS_EMITTERS(QS_EMITTER_WANTED)

void qs_emit_generated_text(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                            const char *text)
{
    if (text)
        qs_emit_generated_bytes(d, id, offset, length, qs_view_of(text));
}

void qs_emit_name(struct qs_decoder *d, unsigned id, const struct qs_table *table, uint32_t index,
                  uint32_t offset, uint32_t length)
{
    const bool listed = d->protocol->fields[id].role == QS_ROLE_LISTED;
    const char *name = d->fields_wanted || listed ? qs_table_get(table, index) : NULL;

    d->unlisted |= listed && index && !name;
    if (!d->fields_wanted || !name || d->in.overrun)
        return;
    qs_emit_generated_text(d, id, offset, length, name);
    qs_label_text(d, " ", qs_view_of(name), "");
}

/* True if the line begins with the name, which is not empty, and these characters. */
static bool begins_with(struct qs_view line, struct qs_view name, const char *end)
{
    return line.size > name.size && !memcmp(line.data, name.data, name.size) &&
           qs_view_begins(qs_view_skip(line, name.size), end);
}

/* True for the player's "anna: gg", "(anna): gg" (to the team), "[SPEC] anna: gg" (spectator). */
static bool is_line_of(struct qs_view text, struct qs_view name)
{
    static const char spectator[] = "[SPEC] ";
    const uint32_t mark = qs_view_begins(text, spectator) ? sizeof spectator - 1 : 0;
    const struct qs_view line = qs_view_skip(text, mark);

    return begins_with(line, name, ": ") ||
           (qs_view_character(line, 0) == '(' && begins_with(qs_view_skip(line, 1), name, "): "));
}

void qs_emit_speaker(struct qs_decoder *d, unsigned id, struct qs_view text, uint32_t count,
                     struct qs_view (*name_of)(const struct qs_session *session, uint32_t player))
{
    struct qs_view speaker = {0};

    if (!d->fields_wanted)
        return;
    for (uint32_t player = 0; player < count; player++) {
        const struct qs_view name = name_of(d->session, player);

        if (name.size > speaker.size && is_line_of(text, name))
            speaker = name;
    }
    if (speaker.size)
        qs_emit_generated_bytes(d, id, (uint32_t)(text.data - d->in.data), text.size, speaker);
}

void qs_open_at(struct qs_decoder *d, unsigned id, uint32_t offset)
{
    if (d->fields_wanted && d->sink->open)
        d->sink->open(d->sink, &d->protocol->fields[id], location(d, offset));
}

void qs_close_at(struct qs_decoder *d, uint32_t end)
{
    if (d->fields_wanted && d->sink->close)
        d->sink->close(d->sink, location(d, end));
}

void qs_label(struct qs_decoder *d, const char *format, ...)
{
    va_list arguments;
    char *text;

    if (!qs_label_wanted(d))
        return;
    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    d->sink->label(d->sink, text);
    g_free(text);
}

void qs_label_text(struct qs_decoder *d, const char *before, struct qs_view text, const char *after)
{
    char *readable;

    if (!qs_label_wanted(d))
        return;
    readable = qs_text_title(text, QS_TITLE_CHARACTERS);
    qs_label(d, "%s%s%s", before, readable, after);
    g_free(readable);
}

void qs_note(struct qs_decoder *d, enum qs_note kind, uint32_t offset, uint32_t length,
             const char *format, ...)
{
    va_list arguments;
    char *text;

    d->found.notes[kind]++;
    d->found.problems += qs_note_kinds[kind].problem;
    if (!d->sink || !d->sink->note)
        return;
    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    d->sink->note(d->sink, kind, location(d, offset), length, text);
    g_free(text);
}

static void note_unusual(struct qs_decoder *d, const struct qs_info_pair *pair, uint32_t offset)
{
    if (!pair->has_value)
        qs_note(d, QS_NOTE_UNUSUAL, offset + pair->offset, pair->length,
                "Info string ends with a key that has no value");
    else if (!pair->key.size && !pair->value.size)
        qs_note(d, QS_NOTE_UNUSUAL, offset + pair->offset, pair->length,
                "Empty pair in an info string");
    if (pair->key.size > QS_INFO_PART_MAX || pair->value.size > QS_INFO_PART_MAX)
        qs_note(d, QS_NOTE_UNUSUAL, offset + pair->offset, pair->length,
                "Info key or value longer than %d bytes", QS_INFO_PART_MAX);
}

void qs_emit_info(struct qs_decoder *d, const struct qs_info_rows *rows, struct qs_view info,
                  uint32_t offset)
{
    struct qs_info_pair pair;
    uint32_t pos = 0;

    while (qs_info_next(info, &pos, &pair)) {
        qs_open_at(d, rows->pair, offset + pair.offset);
        qs_label_text(d, ": ", pair.key, "");
        qs_label_text(d, " = ", pair.value, "");
        qs_emit_bytes(d, rows->key, offset + pair.key_offset, pair.key.size, pair.key);
        qs_emit_bytes(d, rows->value, offset + pair.value_offset, pair.value.size, pair.value);
        note_unusual(d, &pair, offset);
        qs_close_at(d, offset + pair.offset + pair.length);
    }
}

/* Notes a text of this packet. */
static void note_too_long(struct qs_decoder *d, struct qs_view text, uint32_t max)
{
    qs_note(d, QS_NOTE_UNUSUAL, (uint32_t)(text.data - d->in.data), text.size,
            "Info string longer than the %u bytes that engines keep: the rest is ignored", max);
}

void qs_info_replace(struct qs_decoder *d, struct qs_table *table, uint32_t index,
                     struct qs_view info, uint32_t max)
{
    const struct qs_view kept = qs_info_cut(info, max);

    if (kept.size < info.size)
        note_too_long(d, info, max);
    qs_table_set(table, index, kept);
}

void qs_info_change(struct qs_decoder *d, struct qs_table *table, uint32_t index,
                    struct qs_view key, struct qs_view value, uint32_t max)
{
    g_autofree char *info = qs_info_set(qs_view_of(qs_table_get(table, index)), key, value, max);

    if (info)
        qs_table_set(table, index, qs_view_of(info));
    else
        note_too_long(d, (struct qs_view){key.data, (uint32_t)(value.data + value.size - key.data)},
                      max);
}
