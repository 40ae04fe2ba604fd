/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol record of QuakeWorld. */
#include <stddef.h>

#include "common/netchan/quality.h"
#include "common/fte/constants.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/mvd.h"

const struct qs_field qw_fields[QW_FIELD_COUNT] = {
#define QS_ROWS_TABLE
#include "common/core/field_rows.h"
#define FTE_PREFIX "qw."
#include "common/fte/fields.def"
#include "common/quakeworld/fields.def"
#include "common/core/field_rows.h"
};

static void decode(struct qs_decoder *d)
{
    if (qw_is_connectionless(d))
        qw_decode_connectionless(d);
    else if (d->packet->size < 8 || qw_is_bare_text(d->packet))
        qw_decode_bare_text(d);
    else
        qw_decode_netchan(d);
}

/* A packet as a demo has it: as it came, or with the header of the plain netchan. */
static void decode_recorded(struct qs_decoder *d)
{
    if (qw_is_connectionless(d))
        qw_decode_connectionless(d);
    else
        qw_decode_plain_netchan(d);
}

static void init(struct qs_session *session)
{
    qw_session_init((struct qw_session *)session, &qw_fte_game);
}

const struct qs_protocol qw_protocol = {
    .name = "qw",
    .short_name = "QW",
    .title = "QuakeWorld",
    .ports = "27500,27000,30000",
    .fields = qw_fields,
    .field_count = QW_FIELD_COUNT,
    .undecoded = QW_UNDECODED,
    .links = QW_LINK_ACKS_FRAME,
    .notes = QS_NOTES_ALL & ~(QS_NOTE_BIT(QS_NOTE_RETRANSMISSION) | QS_NOTE_BIT(QS_NOTE_LIMIT)),
    .session_size = sizeof(struct qw_session),
    .session_init = init,
    .session_copy = qw_session_copy,
    .session_clear = qw_session_clear,
    .session_forget_packet = qw_session_forget_packet,
    .session_shares = qw_session_shares,
    .describe = qw_session_describe,
    .player = qw_session_player,
    .recognize = qw_recognize,
    .is_foreign = qw_is_foreign,
    .moves = 1u << CLC_MOVE,
    .seqinfo = qw_seqinfo,
    .path =
        &(const struct qs_path_rules){.answers = true, .server_acknowledges = true, .chokes = true},
    .decode = decode,
    .stream_ports = "27500,27599,27900,28000",
    .recognize_stream = qw_recognize_stream,
    .pdu_length = qw_pdu_length,
    .decode_unit = qw_decode_unit,
    .decode_server_messages = decode_recorded,
};
