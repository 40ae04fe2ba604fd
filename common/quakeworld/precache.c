/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Precache lists: qwd-format 5.46 and 5.47. Index 1 is the first entry. */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/messages.h"
#include "common/quakeworld/sign_on.h"

enum { LIST_MAX = 1024 }; /* entries; engines with FTE's MODELDBL take up to 1024 */

/* One entry; false at the empty one that ends the list. */
static bool read_entry(struct qs_decoder *d, unsigned name_row, struct qs_table *table,
                       uint32_t index)
{
    struct qs_view name;

    if (qs_reader_left(&d->in) && d->in.data[d->in.pos] == '\0') {
        qs_u8(d, QW_LIST_END);
        return false;
    }
    qs_open(d, QW_LIST_ENTRY);
    qs_emit_generated_uint(d, QW_LIST_INDEX, d->in.pos, 0, index);
    name = qs_file_name(d, name_row);
    qs_label(d, " %u", index);
    qs_label_text(d, ": ", name, "");
    qs_close(d);
    if (d->in.overrun)
        return false;
    qs_table_set(table, index, name);
    return true;
}

static void read_entries(struct qs_decoder *d, unsigned name_row, struct qs_table *table,
                         uint32_t first)
{
    for (uint32_t index = first + 1; index <= first + LIST_MAX; index++)
        if (!read_entry(d, name_row, table, index))
            return;
    qs_note(d, QS_NOTE_MALFORMED, d->in.pos, 0, "More than %d entries in one list", LIST_MAX);
    d->stop = true;
}

/* From protocol 26 on a list comes in parts. */
static void read_list(struct qs_decoder *d, unsigned name_row, struct qs_table *table)
{
    const bool in_parts = qw_version(d) >= QW_PROTOCOL_LISTS_IN_PARTS;
    const uint32_t first = in_parts ? qs_u8(d, QW_LIST_FIRST) : 0;

    qw_sign_on_list(d, first);
    read_entries(d, name_row, table, first);
    if (in_parts && !d->stop)
        qs_u8(d, QW_LIST_NEXT);
}

void qw_read_modellist(struct qs_decoder *d)
{
    read_list(d, QW_LIST_MODEL, &qw_session(d)->models);
}

void qw_read_soundlist(struct qs_decoder *d)
{
    read_list(d, QW_LIST_SOUND, &qw_session(d)->sounds);
}

/* FTE's MODELDBL and SOUNDDBL: the same with a 16-bit start; ezquake cl_parse.c CL_ParseModellist.
 */
static void read_long_list(struct qs_decoder *d, unsigned name_row, struct qs_table *table)
{
    const uint32_t first = qs_u16(d, QW_LIST_FIRST);

    qw_sign_on_list(d, first);
    read_entries(d, name_row, table, first);
    if (!d->stop)
        qs_u8(d, QW_LIST_NEXT);
}

void qw_read_modellistshort(struct qs_decoder *d)
{
    read_long_list(d, QW_LIST_MODEL, &qw_session(d)->models);
}

void qw_read_soundlistshort(struct qs_decoder *d)
{
    read_long_list(d, QW_LIST_SOUND, &qw_session(d)->sounds);
}
