/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol record of Quake II. */
#include "common/core/text.h"
#include "common/netchan/netchan.h"
#include "common/netchan/quality.h"
#include "common/quake2/decode.h"

/* --- Recognition ------------------------------------------------------------------------------ */

/* Distinguishes Quake II from other games and other traffic by a packet's bytes. */

enum {
    MARK_SIZE = 4,
    RATE_RATIO = 100 /* clients send a packet per frame, up to 1000 per second; servers 10 */
};

/* True if the text begins with `word` and a decimal number, after which other words may follow. */
static bool is_number_command(struct qs_view text, const char *word)
{
    uint32_t at = (uint32_t)strlen(word);
    const uint32_t start = at;

    if (!qs_view_begins(text, word))
        return false;
    while (at < text.size && g_ascii_isdigit((char)text.data[at]))
        at++;
    return at > start && (at == text.size || text.data[at] == ' ');
}

/* True for a server's answer to status, or its heartbeat, with a protocol of Quake II in its
 * rules. */
static bool is_rules(struct qs_view text, const char *command)
{
    const uint32_t start = (uint32_t)strlen(command);
    struct qs_view version;
    uint32_t end = start;

    if (!qs_view_begins(text, command))
        return false;
    while (end < text.size && text.data[end] != '\n')
        end++;
    version = qs_info_value((struct qs_view){text.data + start, end - start}, "protocol");
    return version.data && (qs_view_equal(version, "34") || qs_view_equal(version, "35") ||
                            qs_view_equal(version, "36"));
}

/* Accepts only packets that no other game sends. QuakeWorld's connect has versions up to 28. */
static bool recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    struct qs_view text;

    (void)protocol;
    if (packet->size <= MARK_SIZE || qs_le32(packet->data) != UINT32_MAX)
        return false;
    text = (struct qs_view){packet->data + MARK_SIZE, packet->size - MARK_SIZE};
    return is_number_command(text, "connect 3") || qs_view_begins(text, "client_connect") ||
           is_rules(text, "print\n") || is_rules(text, "heartbeat\n") ||
           (is_number_command(text, "challenge ") && text.size < 64);
}

/* Rejects other traffic with the same mark, such as A2S queries of Source. */
static bool is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    const bool marked = packet->size >= MARK_SIZE && qs_le32(packet->data) == UINT32_MAX;
    const uint32_t start = marked ? MARK_SIZE : 0;

    if (q2_is_connectionless(packet))
        return !q2_is_connectionless_text(
            (struct qs_view){packet->data + start, packet->size - start});
    return !qs_may_begin_with_numbers(packet, qs_le32, RATE_RATIO) ||
           !qs_may_be_read(protocol, packet);
}

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
    .recognize = recognize,
    .is_foreign = is_foreign,
    .moves = 1u << CLC_MOVE | 1u << CLC_MOVE_NODELTA | 1u << CLC_MOVE_BATCHED,
    .seqinfo = q2_seqinfo,
    .path = &(const struct qs_path_rules){.server_acknowledges = true, .chokes = true},
    .decode = decode,
    .stream_ports = "27910",
    .recognize_stream = q2_recognize_stream,
    .pdu_length = q2_pdu_length,
    .decode_pdu = q2_decode_pdu,
    .decode_server_messages = q2_decode_messages,
};
