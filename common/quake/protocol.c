/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol record of Quake, and the choice of the reader for a packet. */
#include "common/netchan/quality.h"
#include "common/fte/constants.h"
#include "common/quake/decode.h"

const struct qs_field nq_fields[NQ_FIELD_COUNT] = {
#define QS_ROWS_TABLE
#include "common/core/field_rows.h"
#define FTE_PREFIX "nq."
#include "common/fte/fields.def"
#include "common/quake/fields.def"
#include "common/core/field_rows.h"
};

static void init(struct qs_session *session)
{
    nq_session_init(session);
    ((struct nq_session *)session)->ext.game = &nq_fte_game;
}

static bool recognize(const struct qs_protocol *protocol, const struct qs_packet *packet)
{
    const struct qs_view bytes = {packet->data, packet->size};

    (void)protocol;
    return nq_is_control(bytes) || nq_is_darkplaces(bytes) || nq_is_game(bytes) ||
           nq_is_sign_on(bytes);
}

static void decode(struct qs_decoder *d)
{
    const struct qs_view bytes = {d->in.data, d->in.size};

    nq_session_forget_packet(d->session);
    if (nq_is_connectionless(bytes))
        nq_read_connectionless(d);
    else if (bytes.size >= CONTROL_HEADER_SIZE && qs_be32(bytes.data) & NETFLAG_CTL)
        nq_read_control(d);
    else
        nq_read_datagram(d);
}

/* Decodes a message of a demo, which its receiver has accepted. */
static void decode_server_messages(struct qs_decoder *d)
{
    struct nq_session *session = nq_session_of(d);

    nq_session_forget_packet(d->session);
    d->found.accepted = true;
    session->delivered = (struct nq_delivery){.bytes = {d->in.data, d->in.size}};
    if (d->found.direction == QS_C2S)
        nq_read_client_messages(d);
    else
        nq_read_server_messages(d);
}

const struct qs_protocol nq_protocol = {
    .name = "nq",
    .short_name = "NQ",
    .title = "Quake",
    .ports = "26000",
    .fields = nq_fields,
    .field_count = NQ_FIELD_COUNT,
    .undecoded = NQ_UNDECODED,
    .links = NQ_LINK_ACKS_FRAME,
    .notes = QS_NOTES_ALL & ~(QS_NOTE_BIT(QS_NOTE_CHECKSUM_BAD) | QS_NOTE_BIT(QS_NOTE_LIMIT)),
    .session_size = sizeof(struct nq_session),
    .session_init = init,
    .session_copy = nq_session_copy,
    .session_clear = nq_session_clear,
    .session_forget_packet = nq_session_forget_packet,
    .session_shares = nq_session_shares,
    .describe = nq_session_describe,
    .player = nq_session_player,
    .recognize = recognize,
    .is_foreign = nq_is_foreign,
    .seqinfo = nq_seqinfo,
    .path = &(const struct qs_path_rules){.sends_first = true},
    .decode = decode,
    .decode_server_messages = decode_server_messages,
};
