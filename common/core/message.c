/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/message.h"

#include "common/core/array.h"
#include "common/core/emit.h"
#include "common/core/summary.h"
#include "common/core/values.h"

static void note_unread(struct qs_decoder *d, const struct qs_message_type *type, uint32_t id,
                        uint32_t start)
{
    if (!type)
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "Unknown message %u", id);
    else if (!type->read)
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, start, 1, "%s is obsolete and cannot be read",
                type->name);
    else if (d->in.overrun && qs_packet_is_cut(d->packet) && !d->source_depth)
        return; /* the capture cut the packet: one note reports it */
    else if (d->in.overrun)
        qs_note(d, QS_NOTE_MALFORMED, start, d->in.pos - start, "%s at offset %u runs past the end",
                type->name, start);
}

void qs_forget_messages(struct qs_decoder *d)
{
    qs_array_empty(d->messages);
    qs_array_empty(d->entities);
    memset(d->message_ids, 0, sizeof d->message_ids);
}

static void keep_message(struct qs_decoder *d, uint32_t start, uint8_t id)
{
    const guint index = qs_array_add(d->messages, &d->messages_room);

    d->message_ids[id / 64] |= UINT64_C(1) << id % 64;
    g_array_index(d->messages, struct qs_message, index) =
        (struct qs_message){.offset = start,
                            .length = d->in.pos - start,
                            .id = id,
                            .source = (uint8_t)d->source_depth,
                            .is_odd = d->odd};
}

static uint8_t id_at(const struct qs_decoder *d, uint32_t start)
{
    const uint8_t byte = d->in.data[start];

    return byte && byte == d->whole_id ? byte : byte & d->id_mask;
}

static inline bool read_one(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup)
{
    const uint32_t start = d->in.pos;
    const uint8_t id = id_at(d, start);
    const struct qs_message_type *type = lookup(d, id);
    const bool readable = type && type->read;

    if (type) {
        qs_open(d, type->group);
        if (d->want_summary)
            qs_summary_message(d, type->brief);
    }
    d->odd = false;
    qs_reader_take(&d->in, 1);
    qs_emit_uint(d, id_row, start, 1, id);
    if (readable)
        type->read(d);
    if (!readable || d->in.overrun)
        note_unread(d, type, id, start);
    else if (!d->stop)
        keep_message(d, start, id);
    if (type)
        qs_close(d);
    return readable && !d->in.overrun && !d->stop;
}

bool qs_read_message(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup)
{
    return read_one(d, id_row, lookup);
}

void qs_read_messages(struct qs_decoder *d, unsigned id_row, qs_message_lookup *lookup)
{
    while (qs_reader_left(&d->in))
        if (!read_one(d, id_row, lookup))
            break;
    qs_undecoded(d);
}
