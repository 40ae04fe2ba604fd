/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/emit_info.h"

#include "common/core/emit.h"

static void note_oddities(struct qs_decoder *d, const struct qs_info_pair *pair, uint32_t offset)
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
        note_oddities(d, &pair, offset);
        qs_close_at(d, offset + pair.offset + pair.length);
    }
}
