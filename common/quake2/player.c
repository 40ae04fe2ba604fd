/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The player state. Source: dm2-format, section 3.18; protocols 35 and 36 split some fields:
 * Q2PRO, msg.c MSG_ParseDeltaPlayerstate_Enhanced; PROTOCOL.md, sections 8 and 13.
 */
#include "common/quake2/decode.h"

/* The rerelease: bits of the word that has the weapon's frame. */
enum { GUN_FRAME = 0x1ff, GUN_OFFSET_X = 0x200, GUN_PITCH = 0x1000, GUN_RATE = 0x8000 };

/* What a step of the shorts of q2repro and the rerelease is. */
static const double viewoffset_unit = 1.0 / 16, kick_unit = 1.0 / 1024, gunoffset_unit = 1.0 / 512,
                    gunangles_unit = 1.0 / 4096;

/* Stats whose value is the number of a config string. Source: engine, q_shared.h STAT_*. */
static const struct {
    uint8_t stat;
    uint8_t range; /* enum q2_range; Q2_RANGE_NAME: any config string */
} naming_stats[] = {
    {0, Q2_RANGE_IMAGES}, {2, Q2_RANGE_IMAGES}, {4, Q2_RANGE_IMAGES}, {6, Q2_RANGE_IMAGES},
    {7, Q2_RANGE_IMAGES}, {8, Q2_RANGE_NAME},   {9, Q2_RANGE_IMAGES}, {11, Q2_RANGE_IMAGES},
    {12, Q2_RANGE_ITEMS}, {16, Q2_RANGE_NAME},
};

/* Shorts of this unit, which are not kept. */
static void read_scaled3(struct qs_decoder *d, unsigned id, double unit)
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        qs_scaled_i16(d, id + 1 + i, unit);
    qs_close(d);
}

static void read_gun_index(struct qs_decoder *d, struct q2_player *player)
{
    const struct q2_variant *variant = q2_variant(d);
    const uint32_t at = d->in.pos;

    if (variant->extensions || variant->rerelease) {
        const uint16_t word = qs_u16(d, Q2_PLAYER_GUN_WORD);

        player->gunindex = word & GUN_WORD_INDEX;
        player->gunskin = (uint8_t)(word >> GUN_WORD_SKIN_SHIFT);
    } else {
        player->gunindex = qs_u8(d, Q2_PLAYER_GUNINDEX);
    }
    if (player->gunindex)
        q2_emit_name(d, Q2_PLAYER_GUN_NAME, at, Q2_RANGE_MODELS, player->gunindex);
}

/* Those of four colors whose bit is set. */
static void read_colors(struct qs_decoder *d, unsigned group, unsigned bits, uint8_t to[4])
{
    if (!(bits & 15))
        return;
    qs_open(d, group);
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1)
            to[i] = qs_scaled_u8(d, group + 1 + i, 1.0 / 255);
    qs_close(d);
}

static void name_stat(struct qs_decoder *d, unsigned stat, int16_t value)
{
    const struct q2_session *session = q2_session_of(d->session);

    for (unsigned i = 0; i < G_N_ELEMENTS(naming_stats); i++) {
        const unsigned range = naming_stats[i].range;
        const uint32_t number = (uint16_t)value;

        if (naming_stats[i].stat != stat || value <= 0)
            continue;
        qs_emit_generated_text(d, Q2_PLAYER_STAT_NAME, d->in.pos - 2, 2,
                               range == Q2_RANGE_NAME
                                   ? qs_table_get(&session->configstrings, number)
                                   : q2_configstring(session, (enum q2_range)range, number));
    }
}

/* A statistic that was read at `at`. */
static void emit_stat(struct qs_decoder *d, uint32_t at, unsigned stat, int16_t value)
{
    const char *name = qs_name_of(q2_stat_names, stat);

    qs_open_at(d, Q2_PLAYER_STAT, at);
    qs_emit_generated_uint(d, Q2_PLAYER_STAT_INDEX, at, 0, stat);
    qs_emit_int(d, Q2_PLAYER_STAT_VALUE, at, 2, value);
    name_stat(d, stat, value);
    qs_label(d, " %u %s: %d", stat, name ? name : "", value);
    qs_close(d);
}

static void read_stat(struct qs_decoder *d, unsigned stat, struct q2_player *player)
{
    const uint32_t at = d->in.pos;

    player->stats[stat] = (int16_t)qs_reader_u16(&d->in);
    if (d->fields_wanted)
        emit_stat(d, at, stat, player->stats[stat]);
}

/* A mask of 32 statistics from `first` on, which it returns, and the statistics. */
static uint32_t read_half_of_stats(struct qs_decoder *d, unsigned first, struct q2_player *player)
{
    const uint32_t bits = qs_u32(d, Q2_PLAYER_STATBITS);

    for (unsigned i = 0; i < 32; i++)
        if (bits >> i & 1)
            read_stat(d, first + i, player);
    return bits;
}

/* The floats of a vector, of which that one is `first`. */
static void read_components(struct qs_decoder *d, unsigned id, unsigned bits, unsigned first)
{
    if (!(bits & first * 7))
        return;
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        if (bits & first << i)
            qs_f32(d, id + 1 + i);
    qs_close(d);
}

/* --- The fields in wire order */

static void read_angles(struct qs_decoder *d, unsigned id, bool two, bool third, int16_t to[3])
{
    if (q2_variant(d)->rerelease)
        read_components(d, id, two ? 7 : 0, 1);
    if ((!two && !third) || q2_variant(d)->rerelease)
        return;
    qs_open(d, id);
    if (two) {
        to[0] = qs_angle16(d, id + 1);
        to[1] = qs_angle16(d, id + 2);
    }
    if (third)
        to[2] = qs_angle16(d, id + 3);
    qs_close(d);
}

static void read_vector(struct qs_decoder *d, unsigned id, bool two, bool third, int32_t to[3])
{
    if (two && q2_variant(d)->rerelease)
        q2_read_float_position(d, id, to);
    if ((!two && !third) || q2_variant(d)->rerelease)
        return;
    qs_open(d, id);
    if (two) {
        q2_read_stepped_coordinate(d, id + 1, &to[0]);
        q2_read_stepped_coordinate(d, id + 2, &to[1]);
    }
    if (third)
        q2_read_stepped_coordinate(d, id + 3, &to[2]);
    if (d->fields_wanted)
        qs_label(d, ": (%g %g %g)", to[0] / 8.0, to[1] / 8.0, to[2] / 8.0);
    qs_close(d);
}

static uint16_t read_byte_or_word(struct qs_decoder *d, unsigned id)
{
    const bool wide = q2_variant(d)->extensions2 || q2_variant(d)->rerelease;

    return wide ? qs_u16(d, id) : qs_u8(d, id);
}

static void read_movement(struct qs_decoder *d, unsigned bits, unsigned extra,
                          struct q2_player *player)
{
    if (bits & PS_M_TYPE)
        player->pm_type = qs_u8(d, Q2_PLAYER_PM_TYPE);
    read_vector(d, Q2_PLAYER_ORIGIN, bits & PS_M_ORIGIN, extra & EPS_M_ORIGIN2, player->origin);
    read_vector(d, Q2_PLAYER_VELOCITY, bits & PS_M_VELOCITY, extra & EPS_M_VELOCITY2,
                player->velocity);
    if (bits & PS_M_TIME)
        player->pm_time = read_byte_or_word(d, Q2_PLAYER_PM_TIME);
    if (bits & PS_M_FLAGS)
        player->pm_flags = read_byte_or_word(d, Q2_PLAYER_PM_FLAGS);
    if (bits & PS_M_GRAVITY)
        player->gravity = qs_i16(d, Q2_PLAYER_GRAVITY);
    read_angles(d, Q2_PLAYER_DELTA_ANGLES, bits & PS_M_DELTA_ANGLES, bits & PS_M_DELTA_ANGLES,
                player->delta_angles);
    if (q2_variant(d)->aqtion)
        q2_read_aqtion_player(d);
}

/* Bytes in quarters, or shorts in another unit, which are not kept. */
static void read_offsets(struct qs_decoder *d, unsigned id, double unit, int8_t to[3])
{
    if (q2_variant(d)->q2repro || q2_variant(d)->rerelease)
        read_scaled3(d, id, unit);
    else
        q2_read_quarters(d, id, to);
}

static void read_gun_of_rerelease(struct qs_decoder *d, struct q2_player *player)
{
    const uint16_t bits = qs_u16(d, Q2_PLAYER_GUN_BITS);

    player->gunframe = (uint8_t)(bits & GUN_FRAME);
    read_components(d, Q2_PLAYER_GUNOFFSET, bits, GUN_OFFSET_X);
    read_components(d, Q2_PLAYER_GUNANGLES, bits, GUN_PITCH);
    if (bits & GUN_RATE)
        qs_u8(d, Q2_PLAYER_GUNRATE);
}

static void read_gun_frame(struct qs_decoder *d, struct q2_player *player)
{
    if (q2_variant(d)->rerelease)
        read_gun_of_rerelease(d, player);
    else if (q2_variant(d)->q2repro)
        player->gunframe = (uint8_t)qs_u16(d, Q2_PLAYER_GUNFRAME);
    else
        player->gunframe = qs_u8(d, Q2_PLAYER_GUNFRAME);
}

static void read_blend(struct qs_decoder *d, struct q2_player *player)
{
    const bool masked = q2_variant(d)->extensions2;
    const unsigned bits = masked ? qs_u8(d, Q2_PLAYER_BLEND_BITS) : 15;

    read_colors(d, Q2_PLAYER_BLEND, bits, player->blend);
    read_colors(d, Q2_PLAYER_DAMAGE_BLEND, bits >> 4, player->damage_blend);
}

static void read_fog_color(struct qs_decoder *d, uint8_t to[3])
{
    for (unsigned i = 0; i < 3; i++)
        to[i] = qs_scaled_u8(d, Q2_PLAYER_FOG_COLOR, 1.0 / 255);
}

static uint16_t read_fog_share(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;
    const uint16_t value = qs_reader_u16(&d->in);

    qs_emit_double(d, id, at, 2, value / 65535.0);
    return value;
}

/* Source: Q2PRO, msg.c MSG_ReadFog. */
static void read_fog(struct qs_decoder *d, struct q2_fog *fog)
{
    unsigned bits;

    qs_open(d, Q2_PLAYER_FOG);
    bits = qs_u8(d, Q2_PLAYER_FOG_BITS);
    if (bits & FOG_BIT_COLOR)
        read_fog_color(d, fog->color);
    if (bits & FOG_BIT_DENSITY) {
        fog->density = read_fog_share(d, Q2_PLAYER_FOG_DENSITY);
        fog->sky_factor = read_fog_share(d, Q2_PLAYER_FOG_SKY);
    }
    if (bits & FOG_BIT_HEIGHT_DENSITY)
        fog->height_density = read_fog_share(d, Q2_PLAYER_FOG_DENSITY);
    if (bits & FOG_BIT_HEIGHT_FALLOFF)
        fog->height_falloff = read_fog_share(d, Q2_PLAYER_FOG_FALLOFF);
    if (bits & FOG_BIT_HEIGHT_START_COLOR)
        read_fog_color(d, fog->start_color);
    if (bits & FOG_BIT_HEIGHT_END_COLOR)
        read_fog_color(d, fog->end_color);
    if (bits & FOG_BIT_HEIGHT_START_DIST)
        fog->start_dist = q2_read_coordinate(d, Q2_PLAYER_FOG_DISTANCE);
    if (bits & FOG_BIT_HEIGHT_END_DIST)
        fog->end_dist = q2_read_coordinate(d, Q2_PLAYER_FOG_DISTANCE);
    qs_close(d);
}

/* Seven bits a byte, the lowest first; bit 7: another follows. */
static uint64_t read_variable_mask(struct qs_decoder *d)
{
    uint64_t mask = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = qs_reader_u8(&d->in);

        mask |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return mask;
}

static uint64_t read_whole_mask(struct qs_decoder *d)
{
    const uint64_t low = qs_reader_u32(&d->in);

    return low | (uint64_t)qs_reader_u32(&d->in) << 32;
}

static uint64_t read_stat_bits(struct qs_decoder *d)
{
    const struct q2_variant *variant = q2_variant(d);

    if (variant->q2repro)
        return read_whole_mask(d);
    return variant->extensions2 ? read_variable_mask(d) : qs_reader_u32(&d->in);
}

/* Returns a bit for each of them. */
static uint64_t read_stats(struct qs_decoder *d, struct q2_player *player)
{
    const uint32_t at = d->in.pos;
    uint64_t bits;

    if (q2_variant(d)->rerelease) {
        bits = read_half_of_stats(d, 0, player);
        return bits | (uint64_t)read_half_of_stats(d, Q2_STATS, player) << Q2_STATS;
    }
    bits = read_stat_bits(d);
    qs_emit_uint(d, Q2_PLAYER_STATBITS, at, d->in.pos - at, bits);
    for (unsigned i = 0; i < Q2_STATS_EXTENDED; i++)
        if (bits >> i & 1)
            read_stat(d, i, player);
    return bits;
}

/* The frags of the player whose state was read: in MVD that of `clientnum`, else of whom the client
 * sees, as spectators see others. `stats`: a bit for each statistic that was read. */
static void add_frags(struct qs_decoder *d, uint64_t stats, bool has_clientnum,
                      const struct q2_player *player)
{
    struct q2_session *session = q2_session_of(d->session);
    enum q2_range range;
    uint32_t chased;

    if (has_clientnum || session->variant.mvd)
        session->viewed = player->clientnum;
    if (stats >> STAT_CHASE & 1 && !session->variant.mvd)
        session->viewed =
            q2_configstring_range(session, (uint16_t)player->stats[STAT_CHASE], &range, &chased) &&
                    range == Q2_RANGE_PLAYERSKINS
                ? (int16_t)chased
                : session->player;
    if (stats >> STAT_FRAGS & 1)
        qs_add_player_event(d, QS_PLAYER_FRAGS, (uint32_t)session->viewed,
                            player->stats[STAT_FRAGS]);
}

/* Up to protocol 34 the extra bits follow from the others. */
static unsigned implied_extra(unsigned bits)
{
    unsigned extra = EPS_STATS;

    if (bits & PS_M_ORIGIN)
        extra |= EPS_M_ORIGIN2;
    if (bits & PS_M_VELOCITY)
        extra |= EPS_M_VELOCITY2;
    if (bits & PS_VIEWANGLES)
        extra |= EPS_VIEWANGLE2;
    if (bits & PS_WEAPONFRAME)
        extra |= EPS_GUNOFFSET | EPS_GUNANGLES;
    return extra;
}

static void read_end_of_rerelease(struct qs_decoder *d, unsigned bits, struct q2_player *player)
{
    if (bits & PS_KEX_DAMAGE_BLEND)
        read_colors(d, Q2_PLAYER_DAMAGE_BLEND, 15, player->damage_blend);
    if (bits & PS_KEX_TEAM_ID)
        qs_u8(d, Q2_PLAYER_TEAM_ID);
}

void q2_read_player_fields(struct qs_decoder *d, unsigned bits, unsigned extra,
                           struct q2_player *player)
{
    const struct q2_variant *variant = q2_variant(d);
    uint64_t stats = 0;

    read_movement(d, bits, extra, player);
    if (bits & PS_VIEWOFFSET)
        read_offsets(d, Q2_PLAYER_VIEWOFFSET, viewoffset_unit, player->viewoffset);
    if (bits & PS_VIEWOFFSET && variant->rerelease)
        qs_i8(d, Q2_PLAYER_VIEWHEIGHT);
    read_angles(d, Q2_PLAYER_VIEWANGLES, bits & PS_VIEWANGLES, extra & EPS_VIEWANGLE2,
                player->viewangles);
    if (bits & PS_KICKANGLES)
        read_offsets(d, Q2_PLAYER_KICKANGLES, kick_unit, player->kick_angles);
    if (bits & PS_WEAPONINDEX)
        read_gun_index(d, player);
    if (bits & PS_WEAPONFRAME)
        read_gun_frame(d, player);
    if (extra & EPS_GUNOFFSET)
        read_offsets(d, Q2_PLAYER_GUNOFFSET, gunoffset_unit, player->gunoffset);
    if (extra & EPS_GUNANGLES)
        read_offsets(d, Q2_PLAYER_GUNANGLES, gunangles_unit, player->gunangles);
    if (bits & PS_BLEND)
        read_blend(d, player);
    if (bits & PS_FOG && !variant->rerelease)
        read_fog(d, &player->fog);
    if (bits & PS_FOV)
        player->fov = qs_u8(d, Q2_PLAYER_FOV);
    if (bits & PS_RDFLAGS)
        player->rdflags = qs_u8(d, Q2_PLAYER_RDFLAGS);
    if (extra & EPS_STATS)
        stats = read_stats(d, player);
    if (variant->rerelease)
        read_end_of_rerelease(d, bits, player);
    if (variant->q2repro && extra & EPS_GUNRATE)
        qs_u8(d, Q2_PLAYER_GUNRATE);
    if (variant->q2repro && bits & PS_RR_VIEWHEIGHT)
        qs_i8(d, Q2_PLAYER_VIEWHEIGHT);
    if (extra & EPS_CLIENTNUM && variant->clientnum16)
        player->clientnum = qs_i16(d, Q2_PLAYER_CLIENTNUM);
    else if (extra & EPS_CLIENTNUM)
        player->clientnum = qs_u8(d, Q2_PLAYER_CLIENTNUM);
    add_frags(d, stats, extra & EPS_CLIENTNUM, player);
}

void q2_read_player(struct qs_decoder *d, unsigned extra, struct q2_player *player)
{
    const struct q2_variant *variant = q2_variant(d);
    unsigned bits;

    bits = qs_u16(d, Q2_PLAYER_BITS);
    if (variant->rerelease && bits & PS_MOREBITS)
        bits |= (unsigned)qs_u16(d, Q2_PLAYER_BITS_UPPER) << 16;
    else if (variant->player_fog && bits & PS_MOREBITS)
        bits |= (unsigned)qs_u8(d, Q2_PLAYER_BITS3) << 16;
    if (variant->packed)
        qs_emit_generated_uint(d, Q2_PLAYER_EXTRA, d->in.pos, 0, extra);
    else
        extra = implied_extra(bits);
    if (variant->rerelease)
        extra &= ~(unsigned)(EPS_GUNOFFSET | EPS_GUNANGLES); /* they stand with the frame */
    q2_read_player_fields(d, bits, extra, player);
}
