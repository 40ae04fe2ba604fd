/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of the demos that servers record, and of QTV, as common/quakeworld/mvd_framing.h describes
 * them. Source: mvdsv sv_demo.c; ezquake cl_demo.c; fteqw cl_demo.c, sv_mvd.c.
 */
#include "common/quakeworld/mvd.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/extensions.h"
#include "common/quakeworld/messages.h"
#include "common/quakeworld/mvd_framing.h"

/* --- Whom a block concerns --- */

/* Emits each player of the set that the last `length` bytes hold. */
static void emit_players(struct qs_decoder *d, uint32_t players, uint32_t length)
{
    for (uint32_t i = 0; players && d->fields_wanted && !d->in.overrun; i++, players >>= 1)
        if (players & 1) {
            qs_emit_generated_uint(d, QW_MVD_PLAYER, d->in.pos - length, length, i);
            qs_label(d, " %u", i);
            qw_emit_player_name(d, i, length);
        }
}

static struct qw_mvd_target read_players(struct qs_decoder *d)
{
    const struct qw_mvd_target target = {MVD_MULTIPLE, qs_u32(d, QW_MVD_PLAYERS)};

    emit_players(d, target.players, sizeof target.players);
    return target;
}

/* dem_read goes on with the target of the block before: PROTOCOL.md, section 10. */
static void read_target(struct qs_decoder *d, uint8_t type_byte)
{
    struct qw_mvd_target *target = &qw_session(d)->mvd_target;
    const enum mvd_type type = type_byte & MVD_TYPE_MASK;

    if (type == MVD_MULTIPLE) {
        *target = read_players(d);
        return;
    }
    if (type == MVD_ALL)
        *target = (struct qw_mvd_target){MVD_ALL, 0};
    else if (type != MVD_READ)
        *target = (struct qw_mvd_target){type, 1u << (type_byte >> MVD_PLAYER_SHIFT)};
    emit_players(d, target->players, sizeof type_byte);
}

/*
 * Old servers' blocks for nobody hold ordinary messages. A demo without svc_serverdata is taken to
 * be of a server that writes hidden ones.
 */
static bool is_hidden(const struct qw_session *session)
{
    const bool can_be = (session->ext.mvd1 & MVD1_HIDDEN_MESSAGES) || !session->base.level;

    return can_be && session->mvd_target.type == MVD_MULTIPLE && !session->mvd_target.players;
}

/* --- Blocks --- */

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
    if (type == MVD_SET) {
        read_set(d);
    } else {
        read_target(d, type_byte);
        qs_u32(d, QW_MVD_LENGTH);
    }
    qs_close(d);
    return type;
}

static void read_payload(struct qs_decoder *d)
{
    if (is_hidden(qw_session(d))) {
        qw_read_hidden_messages(d);
        return;
    }
    qw_session(d)->content = (struct qs_view){d->in.data, d->in.size};
    qw_apply_extensions(d);
    qs_read_messages(d, QW_SVC, qw_server_message);
}

void qw_decode_mvd_block(struct qs_decoder *d)
{
    struct qs_reader in = d->in;
    struct mvd_block block;

    qw_session(d)->content = (struct qs_view){0};
    d->direction = QS_S2C;
    d->accepted = true;
    qw_session(d)->mvd = true;
    if (!qw_mvd_read_block(&in, &block)) {
        qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "No block of an MVD");
        qs_undecoded(d);
        return;
    }
    if (read_framing(d) == MVD_SET)
        return;
    qs_enter_payload(d);
    read_payload(d);
}
