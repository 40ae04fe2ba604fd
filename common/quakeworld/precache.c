/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Precache lists. Source: qwd-format, sections 5.46 and 5.47. Index 1 is the first entry. */
#include "common/quakeworld/decode.h"

enum { LIST_MAX = 1024 }; /* maximum number of entries, as in engines with FTE's MODELDBL */

static bool is_list_end(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) && d->in.data[d->in.pos] == '\0';
}

/* Reads an entry. Returns false if it is not whole. */
static bool read_entry(struct qs_decoder *d, unsigned name_row, struct qs_table *table,
                       uint32_t index)
{
    struct qs_view name;

    qs_open(d, QW_LIST_ENTRY);
    qs_emit_generated_uint(d, QW_LIST_INDEX, d->in.pos, 0, index);
    name = qs_text(d, name_row);
    qs_label(d, " %u", index);
    qs_label_text(d, ": ", name, "");
    qs_close(d);
    if (d->in.overrun)
        return false;
    qs_table_set_name(table, index, name);
    return true;
}

/* Returns the index of the last entry. */
static uint32_t read_entries(struct qs_decoder *d, unsigned name_row, struct qs_table *table,
                             uint32_t first)
{
    const uint32_t max = MIN(first + LIST_MAX, UINT16_MAX);
    uint32_t last = first;

    for (; last < max && !is_list_end(d); last++)
        if (!read_entry(d, name_row, table, last + 1))
            return last;
    if (is_list_end(d)) {
        qs_u8(d, QW_LIST_END);
    } else {
        qs_note(d, QS_NOTE_MALFORMED, d->in.pos, 0, "More than %d entries in one list", LIST_MAX);
        d->stop = true;
    }
    return last;
}

/*
 * Reads a list, or from protocol 26 on a part of it. `wide`: the start has 16 bits, as with FTE's
 * MODELDBL and SOUNDDBL; ezquake cl_parse.c CL_ParseModellist.
 */
static void read_list(struct qs_decoder *d, bool models, bool wide)
{
    struct qw_session *session = qw_session_of(d);
    struct qs_table *table = models ? &session->models : &session->sounds;
    const bool in_parts = wide || qw_version(d) >= QW_PROTOCOL_LISTS_IN_PARTS;
    uint32_t first = 0, last, next = 0;

    if (in_parts)
        first = wide ? qs_u16(d, QW_LIST_FIRST) : qs_u8(d, QW_LIST_FIRST);
    qw_level_list_begins(d, first);
    last = read_entries(d, models ? QW_LIST_MODEL : QW_LIST_SOUND, table, first);
    if (in_parts && !d->stop)
        next = qs_u8(d, QW_LIST_NEXT);
    qw_level_list(d, models, first, next ? (last & 0xff00) | next : 0);
}

void qw_read_modellist(struct qs_decoder *d)
{
    read_list(d, true, false);
}

void qw_read_soundlist(struct qs_decoder *d)
{
    read_list(d, false, false);
}

void qw_read_modellistshort(struct qs_decoder *d)
{
    read_list(d, true, true);
}

void qw_read_soundlistshort(struct qs_decoder *d)
{
    read_list(d, false, true);
}
