/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Player state. Source: dm2-format, section 3.18; protocols 35 and 36 split some fields: Q2PRO,
 * msg.c MSG_ParseDeltaPlayerstate_Enhanced; PROTOCOL.md, sections 8 and 13.
 */
#include "common/quake2/decode.h"
#include "common/quake2/encode.h"

/* Bits of the word with the weapon's frame, in the rerelease. */
enum { GUN_OFFSET_X = 0x200, GUN_PITCH = 0x1000, GUN_RATE = 0x8000 };

/* Reads those of four colors whose bit is set. */
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

/* Config strings that the value of a statistic refers to: an enum q2_range, ANY_STRING, or 0 for
 * none. Source: engine, q_shared.h STAT_*. */
enum { ANY_STRING = Q2_RANGES };
static const uint8_t named_by_stat[Q2_STATS_EXTENDED] = {
    [STAT_HEALTH_ICON] = Q2_RANGE_IMAGES,
    [2] = Q2_RANGE_IMAGES,
    [4] = Q2_RANGE_IMAGES,
    [STAT_SELECTED_ICON] = Q2_RANGE_IMAGES,
    [7] = Q2_RANGE_IMAGES,
    [STAT_PICKUP_STRING] = ANY_STRING,
    [9] = Q2_RANGE_IMAGES,
    [11] = Q2_RANGE_IMAGES,
    [STAT_SELECTED_ITEM] = Q2_RANGE_ITEMS,
    [STAT_CHASE] = ANY_STRING,
};

/* Emits a statistic that was read at `at`. */
static void emit_stat(struct qs_decoder *d, uint32_t at, unsigned stat, int16_t value)
{
    const struct q2_session *session = q2_session_of(d->session);
    const char *name = qs_name_of(q2_stat_names, stat);
    const unsigned range = named_by_stat[stat];
    const uint32_t number = (uint16_t)value;

    qs_open_at(d, Q2_PLAYER_STAT, at);
    qs_emit_generated_uint(d, Q2_PLAYER_STAT_INDEX, at, 0, stat);
    qs_emit_int(d, Q2_PLAYER_STAT_VALUE, at, 2, value);
    if (range && value > 0)
        qs_emit_generated_text(d, Q2_PLAYER_STAT_NAME, d->in.pos - 2, 2,
                               range == ANY_STRING
                                   ? qs_table_get(&session->level.configstrings, number)
                                   : q2_configstring(session, (enum q2_range)range, number));
    qs_label(d, " %u %s: %d", stat, name ? name : "", value);
    qs_close(d);
}

/* Reads the statistics from `first` on whose bit is set. */
static void read_marked_stats(struct qs_decoder *d, uint64_t bits, unsigned first,
                              struct q2_player *player)
{
    for (unsigned stat = first; bits; stat++, bits >>= 1) {
        const uint32_t at = d->in.pos;

        if (!(bits & 1))
            continue;
        player->stats[stat] = (int16_t)qs_reader_u16(&d->in);
        if (d->fields_wanted)
            emit_stat(d, at, stat, player->stats[stat]);
    }
}

/* --- Encodings of player_fields.def --- */

/* `bit` announces two components of a vector, or all (rerelease); `third` announces its third. */

/* Reads the components whose bit in `axes` is set. */
static void read_floats(struct qs_decoder *d, unsigned id, unsigned axes)
{
    if (!(axes & 7))
        return;
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        if (axes >> i & 1)
            qs_f32(d, id + 1 + i);
    qs_close(d);
}

/* Reads angles. The state does not store the rerelease's angles, which are floats. */
static void read_angles(struct qs_decoder *d, unsigned id, bool two, bool third, int16_t to[3])
{
    if (q2_variant(d)->rerelease) {
        read_floats(d, id, 7);
        return;
    }
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
    if (q2_variant(d)->rerelease) {
        q2_read_float_position(d, id, to);
        return;
    }
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

/* Returns the row of a vector whose components may be steps, which are no position. */
static unsigned stepped_row(const struct q2_variant *v, unsigned id)
{
    return id == Q2_PLAYER_ORIGIN && v->extensions2 && !v->floats ? Q2_PLAYER_ORIGIN_OR_STEP : id;
}

/* Reads three bytes in quarters, or shorts in steps of `unit`, which the state does not store. */
static void read_offsets(struct qs_decoder *d, unsigned id, double unit, int8_t to[3])
{
    if (!q2_variant(d)->q2repro && !q2_variant(d)->rerelease) {
        q2_read_quarters(d, id, to);
        return;
    }
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        qs_scaled_i16(d, id + 1 + i, unit);
    qs_close(d);
}

static void read_gun_index(struct qs_decoder *d, struct q2_player *player)
{
    const uint32_t at = d->in.pos;

    if (q2_variant(d)->extensions || q2_variant(d)->rerelease) {
        const uint16_t word = qs_u16(d, Q2_PLAYER_GUN_WORD);

        player->gunindex = word & GUN_WORD_INDEX;
        player->gunskin = (uint8_t)(word >> GUN_WORD_SKIN_SHIFT);
    } else {
        player->gunindex = qs_u8(d, Q2_PLAYER_GUNINDEX);
    }
    if (player->gunindex)
        q2_emit_name(d, Q2_PLAYER_GUN_NAME, at, Q2_RANGE_MODELS, player->gunindex);
}

static void read_gun_frame(struct qs_decoder *d, struct q2_player *player)
{
    const bool wide = q2_variant(d)->rerelease || q2_variant(d)->q2repro;
    const bool has_bits = q2_variant(d)->rerelease;
    const uint32_t word =
        q2_read_number(d, has_bits ? Q2_PLAYER_GUN_BITS : Q2_PLAYER_GUNFRAME, wide ? 2 : 1);

    player->gunframe = (uint8_t)word;
    if (!has_bits)
        return;
    read_floats(d, Q2_PLAYER_GUNOFFSET, word / GUN_OFFSET_X);
    read_floats(d, Q2_PLAYER_GUNANGLES, word / GUN_PITCH);
    if (word & GUN_RATE)
        qs_u8(d, Q2_PLAYER_GUNRATE);
}

static void read_blend(struct qs_decoder *d, struct q2_player *player)
{
    const bool masked = q2_variant(d)->extensions2;
    const unsigned bits = masked ? qs_u8(d, Q2_PLAYER_BLEND_BITS) : 15;

    read_colors(d, Q2_PLAYER_BLEND, bits, player->blend);
    read_colors(d, Q2_PLAYER_DAMAGE_BLEND, bits >> 4, player->damage_blend);
}

/* Source: Q2PRO, msg.c MSG_ReadFog. */
static void read_fog(struct qs_decoder *d, struct q2_fog *fog)
{
    unsigned bits;

    qs_open(d, Q2_PLAYER_FOG);
    bits = qs_u8(d, Q2_PLAYER_FOG_BITS);
#define READ_FOG_COLOR(member, id)                                                                 \
    for (unsigned i = 0; i < 3; i++)                                                               \
    fog->member[i] = qs_scaled_u8(d, id, 1.0 / 255)
#define READ_FOG_SHARE(member, id) fog->member = qs_scaled_u16(d, id, 1 / 65535.0)
#define READ_FOG_DISTANCE(member, id) fog->member = q2_read_coordinate(d, id)
#define FOG(encoding, bit, member, row)                                                            \
    if (bits & (bit))                                                                              \
        READ_FOG_##encoding(member, row);
#include "common/quake2/player_fields.def"
    qs_close(d);
}

/* Reads the statistics and returns their mask. In version 2 of Q2PRO's extended limits it has 7
 * bits per byte, and bit 7 announces another byte. */
static uint64_t read_stats(struct qs_decoder *d, struct q2_player *player)
{
    const struct q2_variant *v = q2_variant(d);
    const uint32_t at = d->in.pos;
    uint64_t bits = 0;
    uint8_t byte = 0x80;

    if (v->rerelease) {
        for (unsigned first = 0; first < Q2_STATS_EXTENDED; first += Q2_STATS) {
            const uint32_t half = qs_u32(d, Q2_PLAYER_STATBITS);

            read_marked_stats(d, half, first, player);
            bits |= (uint64_t)half << first;
        }
        return bits;
    }
    if (v->q2repro || !v->extensions2)
        bits = v->q2repro ? qs_reader_u64(&d->in) : qs_reader_u32(&d->in);
    else
        for (unsigned shift = 0; shift < 64 && byte & 0x80; shift += 7) {
            byte = qs_reader_u8(&d->in);
            bits |= (uint64_t)(byte & 0x7f) << shift;
        }
    qs_emit_uint(d, Q2_PLAYER_STATBITS, at, d->in.pos - at, bits);
    read_marked_stats(d, bits, 0, player);
    return bits;
}

/* Adds an event with the frags of the player whose state was read, if `stats`, the mask of
 * statistics, includes them. In MVD that player is `clientnum`, else the one whose view the client
 * has: a spectator has the view of the player it chases. */
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

/* clang-format off */
#define READ_U8(bit, second, member, id) player->member = qs_u8(d, id)
#define READ_WORD(bit, second, member, id)                                                         \
    player->member = v->extensions2 || v->rerelease ? qs_u16(d, id) : qs_u8(d, id)
#define READ_I16(bit, second, member, id) player->member = qs_i16(d, id)
#define READ_CLIENT(bit, second, member, id)                                                       \
    player->member = v->clientnum16 ? qs_i16(d, id) : qs_u8(d, id)
#define READ_VECTOR(bit, third, member, id)                                                        \
    read_vector(d, stepped_row(v, id), bits & (bit), bits & (third), player->member)
#define READ_ANGLES(bit, third, member, id)                                                        \
    read_angles(d, id, bits & (bit), bits & (third), player->member)
#define READ_ANGLES3(bit, third, member, id) read_angles(d, id, true, true, player->member)
#define READ_SIXTEENTHS(bit, second, member, id) read_offsets(d, id, 1.0 / 16, player->member)
#define READ_KICK(bit, second, member, id) read_offsets(d, id, 1.0 / 1024, player->member)
#define READ_GUN(bit, second, member, id) read_gun_index(d, player)
#define READ_GUN_FRAME(bit, second, member, id) read_gun_frame(d, player)
#define READ_GUN_OFFSET(bit, second, member, id) read_offsets(d, id, 1.0 / 512, player->member)
#define READ_GUN_ANGLES(bit, second, member, id) read_offsets(d, id, 1.0 / 4096, player->member)
#define READ_BLEND(bit, second, member, id) read_blend(d, player)
#define READ_COLORS(bit, second, member, id) read_colors(d, id, 15, player->member)
#define READ_FOG(bit, second, member, id) read_fog(d, &player->member)
#define READ_STATS(bit, second, member, id) stats = read_stats(d, player)
#define SKIP_U8(id) qs_u8(d, id)
#define SKIP_I8(id) qs_i8(d, id)
#define SKIP_AQTION(id) q2_read_aqtion_player(d)
/* clang-format on */

void q2_read_player_fields(struct qs_decoder *d, uint32_t bits, struct q2_player *player)
{
    const struct q2_variant *v = q2_variant(d);
    uint64_t stats = 0;

#define FIELD(encoding, when, bit, extra, mvd, mvd_extra, member, row)                             \
    if ((when) && bits & ((uint32_t)(bit) | (extra))) {                                            \
        READ_##encoding(bit, extra, member, row);                                                  \
    }
#define READ_ONLY(encoding, when, bit, row)                                                        \
    if ((when) && (!(bit) || bits & (bit)))                                                        \
        SKIP_##encoding(row);
#include "common/quake2/player_fields.def"
    add_frags(d, stats, bits & EPS_CLIENTNUM, player);
}

uint32_t q2_with_implied_bits(uint32_t bits)
{
    return bits | EPS_STATS | (bits & PS_M_ORIGIN ? EPS_M_ORIGIN2 : 0) |
           (bits & PS_M_VELOCITY ? EPS_M_VELOCITY2 : 0) |
           (bits & PS_VIEWANGLES ? EPS_VIEWANGLE2 : 0) |
           (bits & PS_WEAPONFRAME ? EPS_GUNOFFSET | EPS_GUNANGLES : 0);
}

void q2_read_player(struct qs_decoder *d, uint8_t extra, struct q2_player *player)
{
    const struct q2_variant *v = q2_variant(d);
    uint32_t bits = qs_u16(d, Q2_PLAYER_BITS);

    if (v->rerelease && bits & PS_MOREBITS)
        bits |= (uint32_t)qs_u16(d, Q2_PLAYER_BITS_UPPER) << 16;
    else if (v->player_fog && bits & PS_MOREBITS)
        bits |= (uint32_t)qs_u8(d, Q2_PLAYER_BITS3) << 16;
    bits &= 0xffffff;
    if (v->packed) {
        qs_emit_generated_uint(d, Q2_PLAYER_EXTRA, d->in.pos, 0, extra);
        bits |= (uint32_t)extra << 24;
    } else {
        bits = q2_with_implied_bits(bits);
    }
    q2_read_player_fields(d, bits, player);
}
