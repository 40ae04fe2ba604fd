/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of the demos that servers record, and of QTV, as common/demo/mvd.h describes them. Source:
 * mvdsv sv_demo.c; ezquake cl_demo.c; fteqw cl_demo.c, sv_mvd.c.
 */
#include "common/demo/mvd.h"
#include "common/quakeworld/parts.h"

enum { TYPE_BYTE_SIZE = 1, PLAYERS_SIZE = 4, PLAYERS_BITS = 32 };

/* Says a player whom the block concerns, and the name; the last `length` bytes tell of it. */
static void derive_player(struct qs_decoder *d, uint32_t player, uint32_t length)
{
    const uint32_t at = d->in.pos - length;
    const struct qs_view name = qw_player_name(qw_session(d), player);

    if (d->in.overrun || !d->fields_wanted)
        return;
    qs_derive_uint(d, QW_MVD_PLAYER, at, length, player);
    qs_label(d, " %u", player);
    if (!name.size)
        return;
    qs_derive_view(d, QW_PLAYER_NAME, at, length, name);
    qs_label_text(d, " ", name, "");
}

static void read_players(struct qs_decoder *d)
{
    const uint32_t players = qs_u32(d, QW_MVD_PLAYERS);

    for (uint32_t i = 0; i < PLAYERS_BITS; i++)
        if (players & 1u << i)
            derive_player(d, i, PLAYERS_SIZE);
}

static void read_set(struct qs_decoder *d)
{
    qs_u32(d, QW_MVD_OUTGOING);
    qs_u32(d, QW_MVD_INCOMING);
}

static enum mvd_type read_framing(struct qs_decoder *d)
{
    uint8_t type_byte;
    enum mvd_type type;

    qs_open(d, QW_MVD);
    qs_u8(d, QW_MVD_MILLISECONDS);
    type_byte = qs_u8(d, QW_MVD_TYPE_BYTE);
    type = type_byte & MVD_TYPE_MASK;
    qs_label(d, ": %s", qs_name_of(qw_block_names, type));
    qs_summary(d, "%s", qs_name_of(qw_block_names, type));
    if (type == MVD_SINGLE || type == MVD_STATS)
        derive_player(d, type_byte >> MVD_PLAYER_SHIFT, TYPE_BYTE_SIZE);
    if (type == MVD_MULTIPLE)
        read_players(d);
    if (type == MVD_SET)
        read_set(d);
    else
        qs_u32(d, QW_MVD_LENGTH);
    qs_close(d);
    return type;
}

void qw_decode_mvd_block(struct qs_decoder *d)
{
    struct qs_reader in = d->in;
    struct mvd_block block;

    d->direction = QS_S2C;
    d->accepted = true;
    if (mvd_read_block(&in, &block) != MVD_OK) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "No block of an MVD");
        qs_undecoded(d);
        return;
    }
    if (read_framing(d) == MVD_SET)
        return;
    qs_enter_payload(d);
    qw_apply_extensions(d);
    qs_read_messages(d, QW_SVC, qw_server_message);
}
