/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates sign-on messages for a client with other extensions. Each client negotiates its own
 * with the server; they change svc_serverdata and the format of coordinates, angles and entities.
 * Source: common/fte/PROTOCOL.md, sections 1 and 4; common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"

enum { PAIR_SIZE = 8, SPECTATOR = 0x80 };

struct fte_session qwd_agreed(const struct qwd_variant *variant)
{
    return (struct fte_session){.fte = variant->fte, .fte2 = variant->fte2, .mvd1 = variant->mvd1};
}

struct qw_delta_format qwd_format_of(const struct qwd_variant *variant)
{
    const struct fte_session agreed = qwd_agreed(variant);

    return qw_delta_format(&agreed);
}

static bool is_same(const struct qwd_variant *a, const struct qwd_variant *b)
{
    return a->fte == b->fte && a->fte2 == b->fte2 && a->mvd1 == b->mvd1;
}

const char *qwd_untranslatable(const struct qwd_variant *from, const struct qwd_variant *to)
{
    if (is_same(from, to))
        return NULL;
    if ((from->fte2 ^ to->fte2) & FTE2_REPLACEMENTDELTAS)
        return "only one of the two has FTE's replacement deltas";
    if (from->fte2 & FTE2_REPLACEMENTDELTAS)
        return "it has other extensions, with FTE's replacement deltas";
    if (((from->fte2 ^ to->fte2) & FTE2_MAXPLAYERS) || ((from->fte ^ to->fte) & FTE_SPLITSCREEN))
        return "only one of the two has several players";
    return NULL;
}

/* --- svc_serverdata --- */

static bool is_pair(uint32_t key)
{
    return key == EXTENSION_FTE || key == EXTENSION_FTE2 || key == EXTENSION_MVD1 ||
           key == EXTENSION_VLEN;
}

static void append_pair(GByteArray *out, uint32_t key, uint32_t value)
{
    if (!value)
        return;
    qs_write_u32(out, key);
    qs_write_u32(out, value);
}

void qwd_skip_pairs(struct qs_reader *in)
{
    while (qs_reader_left(in) >= PAIR_SIZE && is_pair(qs_le32(in->data + in->pos))) {
        const uint32_t key = qs_reader_u32(in);

        qs_reader_u32(in);
        if (key == EXTENSION_VLEN)
            qs_reader_take(in, qs_reader_u32(in));
    }
}

/* Position of the first seat's byte, after the pairs: serverdata's layout is in PROTOCOL.md. */
static uint32_t seat_at(struct qs_reader in, const struct qwd_variant *variant)
{
    qs_reader_u32(&in); /* protocol */
    qs_reader_u32(&in); /* count */
    qs_reader_string(&in);
    if (variant->fte2 & FTE2_MAXPLAYERS)
        qs_reader_take(&in, 2); /* slots, seats */
    return in.overrun ? in.size : in.pos;
}

static uint8_t seat_of(const struct qwd_variant *variant)
{
    const bool marked = variant->spectator && !(variant->fte2 & FTE2_MAXPLAYERS);

    return variant->player | (marked ? SPECTATOR : 0);
}

static void translate_serverdata(GByteArray *out, const struct qwd_variant *from,
                                 const struct qwd_variant *to, struct qs_reader in)
{
    const guint start = out->len;
    uint32_t pairs, seat;

    qs_write_u8(out, qs_reader_u8(&in));
    append_pair(out, EXTENSION_FTE, to->fte);
    append_pair(out, EXTENSION_FTE2, to->fte2);
    append_pair(out, EXTENSION_MVD1, to->mvd1);
    qwd_skip_pairs(&in);
    pairs = in.pos;
    seat = seat_at(in, from);
    if (seat >= in.size) {
        g_byte_array_set_size(out, start);
        return;
    }
    g_byte_array_append(out, in.data + pairs, seat - pairs);
    qs_write_u8(out, seat_of(to));
    g_byte_array_append(out, in.data + seat + 1, in.size - seat - 1);
}

/* --- Entities --- */

static void append_entity(GByteArray *out, const struct qwd_variant *to,
                          const struct qw_entity *entity, bool is_static)
{
    const struct qw_delta_format format = qwd_format_of(to);

    if (to->fte & FTE_SPAWNSTATIC2) {
        qs_write_u8(out, is_static ? SVC_FTE_SPAWNSTATIC2 : SVC_FTE_SPAWNBASELINE2);
        qw_append_delta(out, &format, NULL, entity);
    } else if (qw_entity_model(entity) < 256) {
        qs_write_u8(out, is_static ? SVC_SPAWNSTATIC : SVC_SPAWNBASELINE);
        qw_append_baseline(out, &format, entity, !is_static);
    }
}

/* The body of svc_spawnstatic is that of a baseline without its number. */
static void read_static(struct qs_view body, const struct qw_delta_format *format,
                        struct qw_entity *entity)
{
    uint8_t bytes[2 + QW_ENTITY_BYTES] = {1};

    memcpy(bytes + 2, body.data, MIN(body.size, QW_ENTITY_BYTES));
    qw_read_baseline((struct qs_view){bytes, sizeof bytes}, false, format, entity);
}

static void translate_entity(GByteArray *out, const struct qwd_variant *from,
                             const struct qwd_variant *to, struct qs_view message)
{
    const struct qw_delta_format theirs = qwd_format_of(from), ours = qwd_format_of(to);
    const struct qs_view body = {message.data + 1, message.size - 1};
    const uint8_t id = message.data[0];
    struct qw_entity entity;

    if (id == SVC_SPAWNSTATIC)
        read_static(body, &theirs, &entity);
    else
        qw_read_baseline(body, id != SVC_SPAWNBASELINE, &theirs, &entity);
    if (qw_entity_translate(&entity, &theirs, &ours))
        append_entity(out, to, &entity, id == SVC_SPAWNSTATIC || id == SVC_FTE_SPAWNSTATIC2);
}

/* --- Others --- */

/* In steps of 1/8; 0 if it does not fit or is NaN. */
static uint16_t narrow(float coord)
{
    const float steps = coord * 8;

    return steps > INT16_MIN && steps < INT16_MAX ? (uint16_t)(int16_t)steps : 0;
}

/* Three coordinates, then fields that are the same in all variants. */
static void translate_static_sound(GByteArray *out, const struct qwd_variant *from,
                                   const struct qwd_variant *to, struct qs_view message)
{
    const bool floats = from->fte & FTE_FLOATCOORDS;
    struct qs_reader in = qs_reader_over(message.data, message.size);

    if (!((from->fte ^ to->fte) & FTE_FLOATCOORDS)) {
        qs_write_view(out, message);
        return;
    }
    qs_write_u8(out, qs_reader_u8(&in));
    for (unsigned i = 0; i < 3; i++) {
        if (floats)
            qs_write_u16(out, narrow(qs_float_of_bits(qs_reader_u32(&in))));
        else
            qs_write_float(out, (float)(int16_t)qs_reader_u16(&in) / 8);
    }
    g_byte_array_append(out, in.data + in.pos, qs_reader_left(&in));
}

/* The lists of more than 255 entries begin with a word, others with a byte. */
static void translate_list(GByteArray *out, bool wide, uint8_t narrow_id, uint8_t wide_id,
                           struct qs_view message)
{
    const bool was_wide = message.data[0] == wide_id;
    struct qs_reader in = qs_reader_over(message.data, message.size);
    uint16_t first;

    if (!was_wide || wide) {
        qs_write_view(out, message);
        return;
    }
    qs_reader_u8(&in);
    first = qs_reader_u16(&in);
    if (in.overrun || first > UINT8_MAX)
        return;
    qs_write_u8(out, narrow_id);
    qs_write_u8(out, (uint8_t)first);
    g_byte_array_append(out, in.data + in.pos, qs_reader_left(&in));
}

static void translate(GByteArray *out, const struct qwd_variant *from, const struct qwd_variant *to,
                      struct qs_view message)
{
    switch (message.data[0]) {
    case SVC_SPAWNSTATIC:
    case SVC_FTE_SPAWNSTATIC2:
    case SVC_SPAWNBASELINE:
    case SVC_FTE_SPAWNBASELINE2:
        translate_entity(out, from, to, message);
        break;
    case SVC_SPAWNSTATICSOUND:
        translate_static_sound(out, from, to, message);
        break;
    case SVC_MODELLIST:
    case SVC_FTE_MODELLISTSHORT:
        translate_list(out, to->fte & FTE_MODELDBL, SVC_MODELLIST, SVC_FTE_MODELLISTSHORT, message);
        break;
    case SVC_SOUNDLIST:
    case SVC_FTE_SOUNDLISTSHORT:
        translate_list(out, to->fte & FTE_SOUNDDBL, SVC_SOUNDLIST, SVC_FTE_SOUNDLISTSHORT, message);
        break;
    case SVC_FTE_LIGHTSTYLECOL:
        if (to->fte & FTE_LIGHTSTYLECOL)
            qs_write_view(out, message);
        break;
    default:
        qs_write_view(out, message);
    }
}

void qwd_translate(GByteArray *out, const struct qwd_variant *from, const struct qwd_variant *to,
                   struct qs_view message)
{
    if (message.data[0] == SVC_SERVERDATA)
        translate_serverdata(out, from, to, qs_reader_over(message.data, message.size));
    else if (is_same(from, to))
        qs_write_view(out, message);
    else
        translate(out, from, to, message);
}
