/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol record of Quake II. */
#include "common/netchan/quality.h"
#include "common/quake2/decode.h"

static void decode(struct qs_decoder *d)
{
    struct q2_tracker *tracker = q2_tracker(d);

    if (tracker)
        q2_tracker_begin_packet(tracker);
    if (q2_is_connectionless(d->packet)) {
        q2_decode_connectionless(d);
        return;
    }
    if (!d->probing)
        q2_guess(d, decode);
    if (d->found.direction == QS_DIRECTION_UNKNOWN && !d->probing)
        qs_learn_direction(d, qs_probe_direction(d));
    q2_decode_netchan(d);
}

const struct qs_protocol q2_protocol = {
    .name = "q2",
    .short_name = "Q2",
    .title = "Quake II",
    .ports = "27900,27910",
    .fields = q2_fields,
    .field_count = Q2_FIELD_COUNT,
    .undecoded = Q2_UNDECODED,
    .links = Q2_LINK_ACKS_FRAME,
    .notes = QS_NOTES_ALL & ~QS_NOTE_BIT(QS_NOTE_RETRANSMISSION),
    .session_size = sizeof(struct q2_session),
    .session_init = q2_session_init,
    .session_copy = q2_session_copy,
    .session_clear = q2_session_clear,
    .session_forget_packet = q2_session_forget_packet,
    .session_shares = q2_session_shares,
    .describe = q2_session_describe,
    .player = q2_session_player,
    .config_role = q2_config_role,
    .recognize = q2_recognize,
    .is_foreign = q2_is_foreign,
    .moves = 1u << CLC_MOVE | 1u << CLC_MOVE_NODELTA | 1u << CLC_MOVE_BATCHED,
    .seqinfo = q2_seqinfo,
    .path = &(const struct qs_path_rules){.server_acknowledges = true, .chokes = true},
    .decode = decode,
    .stream_ports = "27910",
    .recognize_stream = q2_recognize_stream,
    .pdu_length = q2_pdu_length,
    .decode_unit = q2_decode_unit,
    .decode_server_messages = q2_decode_messages,
};
