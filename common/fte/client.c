/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client messages but for moves (input.c). Source: fteqw sv_user.c SVQW_ExecuteClientMessage,
 * SVNQ_ExecuteClientMessage and what they call.
 */
#include "common/fte/fte.h"

/* Which of the server's frames has come; -1 asks for everything anew. */
void fte_read_ackframe(struct qs_decoder *d)
{
    qs_i32(d, FTE_ACKFRAME);
}

void fte_read_prydoncursor(struct qs_decoder *d)
{
    fte_read_cursor(d);
    fte_entity(d, FTE_CURSOR_ENTITY);
}

void fte_read_client_voicechat(struct qs_decoder *d)
{
    qs_u8(d, FTE_VOICE_GENERATION);
    qs_u8(d, FTE_VOICE_SEQUENCE);
    qs_bytes(d, FTE_VOICE_DATA, qs_u16(d, FTE_VOICE_SIZE));
}

/* --- clcfte_qcrequest: a call of a function of the server's mod. SV_ReadQCRequest --- */

static void read_vector(struct qs_decoder *d)
{
    qs_f32(d, FTE_QCREQUEST_X);
    qs_f32(d, FTE_QCREQUEST_Y);
    qs_f32(d, FTE_QCREQUEST_Z);
}

static void read_double(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint64_t bits = qs_reader_u32(&d->in);
    double value;

    bits |= (uint64_t)qs_reader_u32(&d->in) << 32;
    memcpy(&value, &bits, sizeof value);
    qs_emit_double(d, FTE_QCREQUEST_DOUBLE, at, 8, value);
}

/* A pointer is a range of memory; the integer before it is its length. */
static void read_pointer(struct qs_decoder *d, int32_t size)
{
    if (size >= 0 && size <= QC_POINTER_MAX)
        qs_bytes(d, FTE_QCREQUEST_DATA, (uint32_t)size);
}

/* One argument; `*before` is the integer that the argument before was, or -1. */
static void read_argument(struct qs_decoder *d, uint8_t type, int32_t *before)
{
    int32_t integer = -1;

    switch (type) {
    case EV_STRING:
        qs_text(d, FTE_QCREQUEST_STRING);
        break;
    case EV_FLOAT:
        qs_f32(d, FTE_QCREQUEST_FLOAT);
        break;
    case EV_VECTOR:
        read_vector(d);
        break;
    case EV_ENTITY:
        fte_entity(d, FTE_QCREQUEST_ENTITY);
        break;
    case EV_POINTER:
        read_pointer(d, *before);
        break;
    case EV_INT64:
        fte_varint64_signed(d, FTE_QCREQUEST_INT64);
        break;
    case EV_UINT64:
        fte_varint64(d, FTE_QCREQUEST_UINT64);
        break;
    case EV_DOUBLE:
        read_double(d);
        break;
    case EV_UINT:
        qs_u32(d, FTE_QCREQUEST_UINT);
        break;
    case EV_INTEGER:
        integer = qs_i32(d, FTE_QCREQUEST_INTEGER);
        break;
    default:
        qs_i32(d, FTE_QCREQUEST_INTEGER);
        break;
    }
    *before = integer;
}

void fte_read_qcrequest(struct qs_decoder *d)
{
    int32_t integer = -1;
    unsigned count = 0;
    uint8_t type;

    while ((type = qs_u8(d, FTE_QCREQUEST_TYPE)) != EV_VOID) {
        if (type >= QC_SEATS_FIRST && type < QC_SEATS_FIRST + QC_SEATS)
            continue;
        if (count++ == QC_ARGUMENTS_MAX) {
            qs_note(d, QS_NOTE_MALFORMED, d->in.pos - 1, 1, "More than %d arguments",
                    QC_ARGUMENTS_MAX);
            d->stop = true;
            return;
        }
        read_argument(d, type, &integer);
    }
    qs_label_text(d, ": ", qs_text(d, FTE_QCREQUEST_NAME), "");
}
