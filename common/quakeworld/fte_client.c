/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client messages that FTE and MVDSV add, but for moves (fte_moves.c). Source: fteqw sv_user.c
 * SVQW_ExecuteClientMessage and what it calls; mvdsv sv_user.c SV_ExecuteClientMessage,
 * SV_ClientExtensionWeaponSwitch, SV_DebugClientSideWeaponScript.
 */
#include "common/quakeworld/parts.h"

/* Which of the server's frames has come; -1 asks for everything anew. */
void qw_read_ackframe(struct qs_decoder *d)
{
    qs_i32(d, QW_ACKFRAME);
}

void qw_read_prydoncursor(struct qs_decoder *d)
{
    qw_read_cursor(d);
    qw_entity(d, QW_CURSOR_ENTITY);
}

void qw_read_client_voicechat(struct qs_decoder *d)
{
    qs_u8(d, QW_VOICE_GENERATION);
    qs_u8(d, QW_VOICE_SEQUENCE);
    qs_bytes(d, QW_VOICE_DATA, qs_u16(d, QW_VOICE_SIZE));
}

/* --- clcfte_qcrequest: a call of a function of the server's mod. SV_ReadQCRequest */

static void read_vector(struct qs_decoder *d)
{
    qs_f32(d, QW_QCREQUEST_X);
    qs_f32(d, QW_QCREQUEST_Y);
    qs_f32(d, QW_QCREQUEST_Z);
}

static void read_double(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint64_t bits = qs_reader_u32(&d->in);
    double value;

    bits |= (uint64_t)qs_reader_u32(&d->in) << 32;
    memcpy(&value, &bits, sizeof value);
    qs_emit_double(d, QW_QCREQUEST_DOUBLE, at, 8, value);
}

/* A pointer is a range of memory, as long as the integer before it says. */
static void read_pointer(struct qs_decoder *d, int32_t size)
{
    if (size >= 0 && size <= QC_POINTER_MAX)
        qs_bytes(d, QW_QCREQUEST_DATA, (uint32_t)size);
}

/* One argument; `*before` is the integer that the argument before was, or -1. */
static void read_argument(struct qs_decoder *d, uint8_t type, int32_t *before)
{
    int32_t integer = -1;

    switch (type) {
    case EV_STRING:
        qs_text(d, QW_QCREQUEST_STRING);
        break;
    case EV_FLOAT:
        qs_f32(d, QW_QCREQUEST_FLOAT);
        break;
    case EV_VECTOR:
        read_vector(d);
        break;
    case EV_ENTITY:
        qw_entity(d, QW_QCREQUEST_ENTITY);
        break;
    case EV_POINTER:
        read_pointer(d, *before);
        break;
    case EV_INT64:
        qw_varint64_signed(d, QW_QCREQUEST_INT64);
        break;
    case EV_UINT64:
        qw_varint64(d, QW_QCREQUEST_UINT64);
        break;
    case EV_DOUBLE:
        read_double(d);
        break;
    case EV_INTEGER:
        integer = qs_i32(d, QW_QCREQUEST_INTEGER);
        break;
    default:
        qs_i32(d, QW_QCREQUEST_INTEGER);
        break;
    }
    *before = integer;
}

void qw_read_qcrequest(struct qs_decoder *d)
{
    int32_t integer = -1;
    unsigned count = 0;
    uint8_t type;

    while ((type = qs_u8(d, QW_QCREQUEST_TYPE)) != EV_VOID) {
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
    qs_label_text(d, ": ", qs_text(d, QW_QCREQUEST_NAME), "");
}

/* --- MVDSV's: weapons chosen by the server, and reports for its debugging */

/* Two weapons a byte, the first above; a half that is 0 ends the list. */
static bool read_packed_weapons(struct qs_decoder *d)
{
    const uint8_t pair = qs_u8(d, QW_WEAPONS_PAIR);

    return pair >> 4 && pair & 0x0f;
}

void qw_read_mvd_weapon(struct qs_decoder *d)
{
    const uint8_t flags = qs_u8(d, QW_WEAPONS_FLAGS);

    if (flags & MVD_WEAPON_FORGET_RANKING)
        qs_u8(d, QW_WEAPONS_AGE);
    if (flags & MVD_WEAPON_FULL_IMPULSE) {
        while (qs_u8(d, QW_WEAPONS_IMPULSE))
            ;
    } else {
        while (read_packed_weapons(d))
            ;
    }
}

static void read_debug_antilag(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, QW_DEBUG_PLAYERS);

    for (unsigned i = 0; i < count && !d->in.overrun; i++) {
        qs_open(d, QW_DEBUG_POSITION);
        qw_read_player(d, QW_DEBUG_PLAYER);
        qs_u8(d, QW_DEBUG_MSEC);
        qs_u8(d, QW_DEBUG_MODEL);
        qs_f32(d, QW_DEBUG_X);
        qs_f32(d, QW_DEBUG_Y);
        qs_f32(d, QW_DEBUG_Z);
        qs_close(d);
    }
}

void qw_read_weapon_choice(struct qs_decoder *d)
{
    qs_u32(d, QW_STAT_ITEMS);
    qs_u8(d, QW_DEBUG_SHELLS);
    qs_u8(d, QW_DEBUG_NAILS);
    qs_u8(d, QW_DEBUG_ROCKETS);
    qs_u8(d, QW_DEBUG_CELLS);
    qs_u8(d, QW_DEBUG_CHOICE);
    qs_text(d, QW_DEBUG_WEAPONS);
}

void qw_read_mvd_debug(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, QW_DEBUG_TYPE);

    if (type == MVD_DEBUG_ANTILAG) {
        read_debug_antilag(d);
    } else if (type == MVD_DEBUG_WEAPON) {
        qw_read_weapon_choice(d);
    } else if (!d->in.overrun) {
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown clc_mvd_debug %u", type);
        d->stop = true;
    }
}
