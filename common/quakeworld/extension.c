/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protocol extensions: how they are announced, and what they change.
 * Source: extensions facts, E.1; quakeworld-and-qwd facts, section 7.
 */
#include "common/quakeworld/parts.h"

static int flags_row(uint32_t key)
{
    switch (key) {
    case QW_EXTENSION_FTE:
        return QW_FTE;
    case QW_EXTENSION_FTE2:
        return QW_FTE2;
    case QW_EXTENSION_MVD1:
        return QW_MVD1;
    default:
        return -1;
    }
}

void qw_emit_extension(struct qs_decoder *d, uint32_t key, uint32_t value, uint32_t offset,
                       uint32_t length)
{
    const int row = flags_row(key);

    if (row >= 0)
        qs_derive_uint(d, (unsigned)row, offset, length, value);
}

struct qw_extension qw_emit_extension_words(struct qs_decoder *d, const struct qs_token *key,
                                            const struct qs_token *value, uint32_t offset)
{
    const struct qw_extension extension = {qs_view_unsigned(key->text),
                                           qs_view_unsigned(value->text)};
    const uint32_t at = offset + value->offset;

    qs_open_at(d, QW_EXTENSION, offset + key->offset);
    qs_label(d, ": 0x%x", extension.value);
    qs_emit_uint(d, QW_EXTENSION_KEY, offset + key->offset, key->length, extension.key);
    qs_emit_uint(d, QW_EXTENSION_VALUE, at, value->length, extension.value);
    qw_emit_extension(d, extension.key, extension.value, at, value->length);
    qs_close_at(d, at + value->length);
    return extension;
}

void qw_derive_z_ext(struct qs_decoder *d, struct qs_view key, struct qs_view value,
                     uint32_t offset)
{
    if (qs_view_equal(key, "*z_ext"))
        qs_derive_uint(d, QW_Z_EXT, offset, value.size, qs_view_unsigned(value));
}

/* The key vlen has a length and as many bytes behind its value; fteqw CLQW_ParseServerData. */
void qw_read_extension(struct qs_decoder *d, uint32_t *key, uint32_t *value)
{
    qs_open(d, QW_EXTENSION);
    *key = qs_u32(d, QW_EXTENSION_KEY);
    *value = qs_u32(d, QW_EXTENSION_VALUE);
    if (!d->in.overrun)
        qw_emit_extension(d, *key, *value, d->in.pos - 4, 4);
    qs_label(d, ": 0x%x", *value);
    if (*key == QW_EXTENSION_VLEN)
        qs_bytes(d, QW_EXTENSION_DATA, qs_u32(d, QW_EXTENSION_LENGTH));
    qs_close(d);
}

void qw_apply_extensions(struct qs_decoder *d)
{
    const bool floats = qw_session(d)->fte & FTE_FLOATCOORDS;

    d->coord_format = floats ? QS_COORD_FLOAT32 : QS_COORD_SHORT;
    d->angle_format = floats ? QS_ANGLE_SHORT : QS_ANGLE_BYTE;
}

bool qw_is_allowed(const struct qw_extension_message *message, const struct qw_session *session)
{
    return (message->fte & session->fte) || (message->fte2 & session->fte2) ||
           (message->mvd1 & session->mvd1);
}

void qw_stop_malformed(struct qs_decoder *d, uint32_t offset, const char *what, uint32_t value)
{
    if (d->in.overrun)
        return;
    qs_note(d, QS_NOTE_MALFORMED, offset, d->in.pos - offset, "%s 0x%x", what, value);
    d->stop = true;
}

void qw_stop_at_mod_data(struct qs_decoder *d, const char *message)
{
    if (d->in.overrun)
        return;
    qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos, qs_reader_left(&d->in),
            "%s not decoded: only the server's mod knows its length", message);
    d->stop = true;
}
