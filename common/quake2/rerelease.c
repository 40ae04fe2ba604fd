/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rerelease: entities and messages of its demos (protocols 2022 and 2023), and the messages of
 * it that q2repro's protocol 1038 has. Source: PROTOCOL.md, sections 19 and 17; q2proto,
 * q2proto_proto_kex.c and q2proto_proto_q2repro.c.
 */
#include "common/core/inflate.h"
#include "common/quake2/decode.h"

/* --- Entities */

/* In protocol 2022 an entity's solid decides how its origin is written, be it sent or known. */
static bool has_solid(const struct q2_session *session, uint16_t number)
{
    const char *known = qs_table_get(&session->solids, number);
    const struct q2_entity *baseline = q2_baseline(session, number);

    return known ? known[0] == '1' : baseline && baseline->solid;
}

static void keep_solid(struct q2_session *session, uint16_t number, bool solid)
{
    qs_table_set(&session->solids, number,
                 (struct qs_view){(const uint8_t *)(solid ? "1" : "0"), 1});
}

void q2_rerelease_remove(struct q2_session *session, uint16_t number)
{
    if (session->variant.rerelease)
        qs_table_set(&session->solids, number, (struct qs_view){0});
}

static void read_place(struct qs_decoder *d, uint64_t bits, bool floats, struct q2_entity *entity)
{
    for (unsigned i = 0; i < 3; i++)
        if (bits & q2_origin_bits[i])
            entity->origin[i] = q2_read_plain_coordinate(d, Q2_ENTITY_ORIGIN_X + i, floats);
    if (!(bits & U_OLDORIGIN))
        return;
    qs_open(d, Q2_ENTITY_OLDORIGIN);
    for (unsigned i = 0; i < 3; i++)
        entity->old_origin[i] = q2_read_plain_coordinate(d, Q2_ENTITY_OLDORIGIN + 1 + i, floats);
    qs_close(d);
}

static void read_rest(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    if (bits & U_SOUND)
        q2_read_entity_sound(d, entity);
    if (bits & U_EVENT)
        entity->event = qs_u8(d, Q2_ENTITY_EVENT);
    if (bits & U_ALPHA)
        entity->alpha = qs_scaled_u8(d, Q2_ENTITY_ALPHA, 1.0 / 255);
    if (bits & U_SCALE)
        entity->scale = qs_scaled_u8(d, Q2_ENTITY_SCALE, 1.0 / 16);
    if (bits & U_KEX_INSTANCE)
        qs_u8(d, Q2_ENTITY_INSTANCE);
    if (bits & U_KEX_OWNER)
        qs_u16(d, Q2_ENTITY_OWNER);
    if (bits & U_KEX_OLDFRAME)
        qs_u16(d, Q2_ENTITY_OLDFRAME);
}

void q2_read_rerelease_entity(struct qs_decoder *d, uint64_t bits, struct q2_entity *entity)
{
    const struct q2_session *session = q2_session_of_const(d->session);

    if (bits & U_SOLID) {
        entity->solid = qs_u32(d, Q2_ENTITY_SOLID);
        if (!d->in.overrun)
            keep_solid(q2_session_of(d->session), entity->number, entity->solid);
    }
    read_place(d, bits, session->variant.floats || has_solid(session, entity->number), entity);
    for (unsigned i = 0; i < 3; i++)
        if (bits & q2_angle_bits[i])
            qs_f32(d, Q2_ENTITY_ANGLES_PITCH + i);
    read_rest(d, bits, entity);
}

/* --- Messages of demos */

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

/* A stream of zlib's to its end. NULL: there is none, or it is too long. */
static GBytes *inflate_whole(struct qs_decoder *d, uint32_t at, struct qs_view packed)
{
    struct qs_inflate_stream stream = {0};
    GByteArray *out = g_byte_array_new();
    uint32_t used;
    const bool good = qs_inflate_more(d, &stream, at, packed, out, &used);

    qs_inflate_stream_clear(&stream);
    if (good)
        return g_byte_array_free_to_bytes(out);
    g_byte_array_free(out, TRUE);
    return NULL;
}

static void read_blast(struct qs_decoder *d, const char *title, void (*read)(struct qs_decoder *))
{
    const uint32_t at = d->in.pos;
    const uint16_t size = qs_u16(d, Q2_BLAST_SIZE);
    struct qs_view packed;
    GBytes *inflated;

    qs_u16(d, Q2_BLAST_UNPACKED);
    packed = qs_bytes(d, Q2_BLAST_DATA, size);
    if (d->in.overrun)
        return;
    inflated = inflate_whole(d, at, packed);
    if (!inflated)
        return;
    q2_read_source(d, title, inflated, read);
    g_bytes_unref(inflated);
}

static void read_configstrings(struct qs_decoder *d)
{
    while (qs_reader_left(&d->in)) {
        qs_open(d, Q2_CONFIGSTRING);
        q2_read_configstring(d);
        qs_close(d);
    }
    qs_undecoded(d);
}

static void read_baselines(struct qs_decoder *d)
{
    while (qs_reader_left(&d->in)) {
        qs_open(d, Q2_ENTITY);
        q2_read_baseline(d, q2_read_entity_mask(d));
        qs_close(d);
    }
    qs_undecoded(d);
}

void q2_read_configblast(struct qs_decoder *d)
{
    read_blast(d, "Inflated config strings", read_configstrings);
}

void q2_read_spawnbaselineblast(struct qs_decoder *d)
{
    read_blast(d, "Inflated baselines", read_baselines);
}

/* --- Messages of q2repro */

/* Bits of the fog's mask, each with its fields. Source: q2proto_proto_q2repro.c, FOG_RR_BIT_*. */
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

/* Red, green and blue, each by its bit; their rows follow each other. */
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
