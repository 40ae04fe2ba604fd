/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol record of QuakeWorld, and its netchan header. */
#include "common/quakeworld/quakeworld.h"

#include "common/core/decoder.h"
#include "common/quakeworld/qw_fields.h"

const struct qs_field qw_fields[QW_FIELD_COUNT] = {
#include "common/core/rows_table.h"
#include "common/quakeworld/qw_fields.def"
#include "common/core/rows_end.h"
};

static bool recognise(const struct qs_packet *packet)
{
    return packet->size > 4 && qs_le32(packet->data) == UINT32_MAX;
}

static void decode(struct qs_decoder *d)
{
    if (d->direction == QS_DIRECTION_UNKNOWN && !d->probing)
        qs_learn_direction(d, qs_probe_direction(d));
    qs_open(d, QW_HEADER);
    qs_u32(d, QW_SEQUENCE_WORD);
    qs_u32(d, QW_ACK_WORD);
    if (d->direction == QS_C2S)
        qs_u16(d, QW_QPORT);
    qs_close(d);
    qs_undecoded(d);
}

static void init(struct qs_session *session)
{
    memset(session, 0, sizeof(struct qw_session));
    qs_session_init(session);
}

static void copy(struct qs_session *to, const struct qs_session *from)
{
    memcpy(to, from, sizeof(struct qw_session));
}

static void clear(struct qs_session *session)
{
    (void)session;
}

static void describe(const struct qs_session *session, struct qs_description *description)
{
    (void)session;
    *description = (struct qs_description){0};
}

const struct qs_protocol qw_protocol = {
    .name = "qw",
    .short_name = "QW",
    .title = "QuakeWorld",
    .ports = "27500,27000",
    .demo = "qwd",
    .fields = qw_fields,
    .field_count = QW_FIELD_COUNT,
    .undecoded = QW_UNDECODED,
    .notes = QS_NOTE_BIT(QS_NOTE_MALFORMED) | QS_NOTE_BIT(QS_NOTE_UNKNOWN_MESSAGE) |
             QS_NOTE_BIT(QS_NOTE_PROTOCOL_UNDECODED) | QS_NOTE_BIT(QS_NOTE_CUT) |
             QS_NOTE_BIT(QS_NOTE_CHECKSUM_BAD) | QS_NOTE_BIT(QS_NOTE_SEQUENCE_GAP) |
             QS_NOTE_BIT(QS_NOTE_SEQUENCE_STALE) | QS_NOTE_BIT(QS_NOTE_SEQUENCE_DUPLICATE) |
             QS_NOTE_BIT(QS_NOTE_NOT_CAPTURED) | QS_NOTE_BIT(QS_NOTE_UNUSUAL),
    .session_size = sizeof(struct qw_session),
    .session_init = init,
    .session_copy = copy,
    .session_clear = clear,
    .describe = describe,
    .recognise = recognise,
    .decode = decode,
};
