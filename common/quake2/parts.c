/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of players and entities that several variants have alike. Source: dm2-format, sections 3.15
 * and 3.18; extended limits and the rerelease: PROTOCOL.md, sections 13 and 19.
 */
#include "common/quake2/configstrings.h"
#include "common/quake2/decode.h"
#include "common/quake2/names.h"

static const double attenuation_steps = 64;

/* Stats whose value is the number of a config string. Source: engine, q_shared.h STAT_*. */
static const struct {
    uint8_t stat;
    uint8_t range; /* enum q2_range; Q2_RANGE_NAME: any config string */
} naming_stats[] = {
    {0, Q2_RANGE_IMAGES}, {2, Q2_RANGE_IMAGES}, {4, Q2_RANGE_IMAGES}, {6, Q2_RANGE_IMAGES},
    {7, Q2_RANGE_IMAGES}, {8, Q2_RANGE_NAME},   {9, Q2_RANGE_IMAGES}, {11, Q2_RANGE_IMAGES},
    {12, Q2_RANGE_ITEMS}, {16, Q2_RANGE_NAME},
};

static const struct q2_variant *variant_of(const struct qs_decoder *d)
{
    return &q2_session_of_const(d->session)->variant;
}

/* --- Players --- */

void q2_read_scaled3(struct qs_decoder *d, unsigned id, double unit)
{
    qs_open(d, id);
    for (unsigned i = 0; i < 3; i++)
        qs_scaled_i16(d, id + 1 + i, unit);
    qs_close(d);
}

void q2_read_gun_index(struct qs_decoder *d, struct q2_player *player)
{
    const struct q2_variant *variant = &q2_session_of(d->session)->variant;
    const uint32_t at = d->in.pos;

    if (variant->extensions || variant->rerelease) {
        const uint16_t word = qs_u16(d, Q2_PLAYER_GUN_WORD);

        player->gunindex = word & GUN_WORD_INDEX;
        player->gunskin = (uint8_t)(word >> GUN_WORD_SKIN_SHIFT);
    } else {
        player->gunindex = qs_u8(d, Q2_PLAYER_GUNINDEX);
    }
    if (d->fields_wanted && player->gunindex)
        qs_emit_generated_text(
            d, Q2_PLAYER_GUN_NAME, at, d->in.pos - at,
            q2_configstring(q2_session_of(d->session), Q2_RANGE_MODELS, player->gunindex));
}

void q2_read_colours(struct qs_decoder *d, unsigned group, unsigned bits, uint8_t to[4])
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

void q2_read_stat(struct qs_decoder *d, unsigned stat, struct q2_player *player)
{
    const uint32_t at = d->in.pos;

    player->stats[stat] = (int16_t)qs_reader_u16(&d->in);
    if (d->fields_wanted)
        emit_stat(d, at, stat, player->stats[stat]);
}

void q2_read_stats_half(struct qs_decoder *d, unsigned first, struct q2_player *player)
{
    const uint32_t bits = qs_u32(d, Q2_PLAYER_STATBITS);

    for (unsigned i = 0; i < 32; i++)
        if (bits >> i & 1)
            q2_read_stat(d, first + i, player);
}

/* --- Entities --- */

static uint16_t read_extended_sound(struct qs_decoder *d, struct q2_entity *entity)
{
    const uint16_t word = qs_u16(d, Q2_ENTITY_SOUND_WORD);

    if (word & SOUND_WORD_VOLUME)
        entity->sound_volume = qs_scaled_u8(d, Q2_ENTITY_SOUND_VOLUME, 1.0 / 255);
    if (word & SOUND_WORD_ATTENUATION)
        entity->sound_attenuation =
            qs_scaled_u8(d, Q2_ENTITY_SOUND_ATTENUATION, 1 / attenuation_steps);
    return word & SOUND_WORD_INDEX;
}

void q2_read_entity_sound(struct qs_decoder *d, struct q2_entity *entity)
{
    const uint32_t at = d->in.pos;

    if (variant_of(d)->extensions || variant_of(d)->rerelease)
        entity->sound = read_extended_sound(d, entity);
    else
        entity->sound = qs_u8(d, Q2_ENTITY_SOUND);
    if (d->fields_wanted && entity->sound)
        qs_emit_generated_text(
            d, Q2_ENTITY_SOUND_NAME, at, d->in.pos - at,
            q2_configstring(q2_session_of(d->session), Q2_RANGE_SOUNDS, entity->sound));
}
