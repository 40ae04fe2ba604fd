/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol record of QuakeWorld. */
#include <stddef.h>

#include "common/fte/constants.h"
#include "common/netchan/netchan.h"
#include "common/netchan/quality.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/mvd.h"

/* --- Recognition ------------------------------------------------------------------------------ */

/* Separates QuakeWorld's packets from those of other games, and from other traffic, by bytes. */

enum { MARK_SIZE = 4 };

static bool is_connect(struct qs_view text)
{
    static const char start[] = "connect 2";

    return qs_view_begins(text, start) && text.size > sizeof start &&
           text.data[sizeof start] == ' ' && text.data[sizeof start - 1] >= '4' &&
           text.data[sizeof start - 1] <= '8';
}

static bool is_challenge(struct qs_view text)
{
    struct qs_view number;

    if (text.data[0] != 'c' || !qw_begins_number(text))
        return false;
    number = qs_view_up_to(qs_view_skip(text, 1), "\n");
    if (number.size && (number.data[0] == '-' || number.data[0] == ' '))
        number = qs_view_skip(number, 1);
    return number.size <= 11 && qw_is_digits(number);
}

static bool is_status_reply(struct qs_view text)
{
    return qs_view_begins(text, "n\\") &&
           (qs_view_contains(text, "\\*version\\") || qs_view_contains(text, "\\*progs\\"));
}

/*
 * Recognizes only packets that no other game sends: Quake II and Quake III share the mark,
 * getchallenge, status and rcon. QuakeWorld's are connect by its version, and a challenge and a
 * reply to status by the letter directly before their text.
 */
static bool recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    struct qs_view text;

    (void)protocol;
    if (packet->size <= MARK_SIZE || qs_le32(packet->data) != UINT32_MAX)
        return false;
    text = qs_view_skip((struct qs_view){packet->data, packet->size}, MARK_SIZE);
    return is_connect(text) || is_challenge(text) || is_status_reply(text);
}

/* True if the packet can belong to a game: a server's packet has the number of the client's that it
 * answers (mvdsv SV_ExecuteClientMessage). FTE's STUNAWARE has the other byte order. */
static bool may_be_game(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    return (qs_may_begin_with_numbers(packet, qs_le32, 1) ||
            qs_may_begin_with_numbers(packet, qs_be32, 1)) &&
           qs_may_be_read(protocol, packet);
}

/* True for other protocols: Source's A2S queries, and much else, have the mark, too. */
static bool is_foreign(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    if (packet->size > MARK_SIZE && qs_le32(packet->data) == UINT32_MAX)
        return !qw_is_known_oob(
            qs_view_skip((struct qs_view){packet->data, packet->size}, MARK_SIZE));
    return !qw_is_bare_text(packet) && !may_be_game(protocol, packet);
}

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

/* Decodes a packet of a demo: connectionless, or with the header of the plain netchan. */
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
    .recognize = recognize,
    .is_foreign = is_foreign,
    .moves = 1u << CLC_MOVE,
    .seqinfo = qw_seqinfo,
    .path =
        &(const struct qs_path_rules){.answers = true, .server_acknowledges = true, .chokes = true},
    .decode = decode,
    .stream_ports = "27500,27599,27900,28000",
    .recognize_stream = qw_recognize_stream,
    .pdu_length = qw_pdu_length,
    .decode_pdu = qw_decode_pdu,
    .decode_server_messages = decode_recorded,
};
