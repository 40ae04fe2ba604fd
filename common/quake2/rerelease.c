/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the rerelease's demos (protocols 2022 and 2023), and those of them that q2repro's
 * protocol 1038 has, too. Source: PROTOCOL.md, sections 19 and 17; q2proto, q2proto_proto_kex.c and
 * q2proto_proto_q2repro.c.
 */
#include "common/quake2/decode.h"

/* --- Messages of demos --- */

void q2_read_splitclient(struct qs_decoder *d)
{
    qs_label(d, ": %u", qs_u8(d, Q2_SPLITCLIENT_NUMBER));
}

void q2_read_locprint(struct qs_decoder *d)
{
    uint8_t count;

    qs_u8(d, Q2_LOCPRINT_FLAGS);
    qs_label_text(d, ": ", qs_text(d, Q2_LOCPRINT_BASE), "");
    count = qs_u8(d, Q2_LOCPRINT_COUNT);
    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        qs_text(d, Q2_LOCPRINT_ARGUMENT);
}

/* --- Messages of q2repro --- */

/* Bits of the fog's mask for its fields. Source: q2proto_proto_q2repro.c, FOG_RR_BIT_*. */
#define FOG_RR_BIT_DENSITY 0x0001u
#define FOG_RR_BIT_R 0x0002u
#define FOG_RR_BIT_G 0x0004u
#define FOG_RR_BIT_B 0x0008u
#define FOG_RR_BIT_TIME 0x0010u
#define FOG_RR_BIT_HEIGHTFOG_FALLOFF 0x0020u
#define FOG_RR_BIT_HEIGHTFOG_DENSITY 0x0040u
#define FOG_RR_BIT_MORE_BITS 0x0080u
#define FOG_RR_BIT_HEIGHTFOG_START_R 0x0100u
#define FOG_RR_BIT_HEIGHTFOG_START_DIST 0x0800u
#define FOG_RR_BIT_HEIGHTFOG_END_R 0x1000u
#define FOG_RR_BIT_HEIGHTFOG_END_DIST 0x8000u

void q2_read_damage(struct qs_decoder *d)
{
    const uint8_t count = qs_u8(d, Q2_DAMAGE_COUNT);

    for (unsigned i = 0; i < count && !d->in.overrun; i++) {
        qs_open(d, Q2_DAMAGE);
        qs_u8(d, Q2_DAMAGE_BYTE);
        qs_u8(d, Q2_DAMAGE_DIRECTION);
        qs_close(d);
    }
}

/* Reads red, green and blue, each if its bit is set; their rows are adjacent. */
static void read_colors(struct qs_decoder *d, unsigned bits, unsigned red_bit, unsigned red_row)
{
    for (unsigned i = 0; i < 3; i++)
        if (bits & red_bit << i)
            qs_scaled_u8(d, red_row + i, 1 / 255.0);
}

void q2_read_fog_message(struct qs_decoder *d)
{
    const unsigned bits = q2_read_one_or_two_bytes(d, Q2_FOG_BITS, FOG_RR_BIT_MORE_BITS);

    if (bits & FOG_RR_BIT_DENSITY) {
        qs_f32(d, Q2_FOG_DENSITY);
        qs_u8(d, Q2_FOG_SKYFACTOR);
    }
    read_colors(d, bits, FOG_RR_BIT_R, Q2_FOG_RED);
    if (bits & FOG_RR_BIT_TIME)
        qs_scaled_u16(d, Q2_FOG_TIME, 1 / 1000.0);
    if (bits & FOG_RR_BIT_HEIGHTFOG_FALLOFF)
        qs_f32(d, Q2_FOG_FALLOFF);
    if (bits & FOG_RR_BIT_HEIGHTFOG_DENSITY)
        qs_f32(d, Q2_FOG_HEIGHT_DENSITY);
    read_colors(d, bits, FOG_RR_BIT_HEIGHTFOG_START_R, Q2_FOG_START_RED);
    if (bits & FOG_RR_BIT_HEIGHTFOG_START_DIST)
        qs_i32(d, Q2_FOG_START_DIST);
    read_colors(d, bits, FOG_RR_BIT_HEIGHTFOG_END_R, Q2_FOG_END_RED);
    if (bits & FOG_RR_BIT_HEIGHTFOG_END_DIST)
        qs_i32(d, Q2_FOG_END_DIST);
}

void q2_read_poi(struct qs_decoder *d)
{
    int32_t origin[3];

    qs_rows(d, Q2_POI_KEY, Q2_POI_TIME);
    q2_read_float_position(d, Q2_POI_ORIGIN, origin);
    qs_rows(d, Q2_POI_IMAGE, Q2_POI_FLAGS);
}

void q2_read_help_path(struct qs_decoder *d)
{
    int32_t origin[3];

    qs_u8(d, Q2_HELP_PATH_START);
    q2_read_float_position(d, Q2_HELP_PATH_ORIGIN, origin);
    qs_u8(d, Q2_HELP_PATH_DIRECTION);
}

void q2_read_muzzleflash3(struct qs_decoder *d)
{
    qs_u16(d, Q2_MUZZLEFLASH3_ENTITY);
    qs_label(d, ": %u", qs_u16(d, Q2_MUZZLEFLASH3_ID));
}

void q2_read_achievement(struct qs_decoder *d)
{
    qs_label_text(d, ": ", qs_text(d, Q2_ACHIEVEMENT_ID), "");
}
