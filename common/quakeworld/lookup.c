/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "common/quakeworld/decode.h"
#include "common/quakeworld/session.h"

/* A name for the last bytes read: as a derived field, and in the title of the message. */
static void emit_name(struct qs_decoder *d, unsigned id, uint32_t length, struct qs_view name)
{
    if (!name.size || d->in.overrun)
        return;
    qs_emit_generated_bytes(d, id, d->in.pos - length, length, name);
    qs_label_text(d, " ", name, "");
}

void qw_emit_player_name(struct qs_decoder *d, uint32_t player, uint32_t length)
{
    if (d->fields_wanted)
        emit_name(d, QW_PLAYER_NAME, length, qw_player_name(qw_session(d), player));
}

uint8_t qw_read_player(struct qs_decoder *d, unsigned id)
{
    const uint8_t player = qs_u8(d, id);

    if (qs_label_wanted(d))
        qs_label(d, ": player %u", player);
    qw_emit_player_name(d, player, 1);
    return player;
}

uint8_t qw_read_model(struct qs_decoder *d, unsigned id)
{
    const uint8_t model = qs_u8(d, id);

    if (d->fields_wanted)
        emit_name(d, QW_MODEL_NAME, 1, qs_view_of(qs_table_get(&qw_session(d)->models, model)));
    return model;
}

uint8_t qw_read_sound(struct qs_decoder *d, unsigned id)
{
    const uint8_t sound = qs_u8(d, id);

    if (d->fields_wanted)
        emit_name(d, QW_SOUND_NAME, 1, qs_view_of(qs_table_get(&qw_session(d)->sounds, sound)));
    return sound;
}

void qw_emit_entity_name(struct qs_decoder *d, uint32_t entity)
{
    if (entity >= 1 && entity <= QW_PLAYERS_MAX)
        qw_emit_player_name(d, entity - 1, 2);
}

void qw_emit_model_name(struct qs_decoder *d, uint32_t offset, uint32_t length, uint32_t model)
{
    const char *name = qs_table_get(&qw_session(d)->models, model);

    qs_emit_generated_text(d, QW_MODEL_NAME, offset, length, name);
    qs_label_text(d, " ", qs_view_of(name), "");
}

void qw_emit_sound_name(struct qs_decoder *d, uint32_t sound, uint32_t length)
{
    if (d->fields_wanted)
        emit_name(d, QW_SOUND_NAME, length,
                  qs_view_of(qs_table_get(&qw_session(d)->sounds, sound)));
}

void qw_label_stat(struct qs_decoder *d, uint8_t index)
{
    const char *name = qs_name_of(fte_stat_names, index);

    if (name)
        qs_label(d, ": %s", name);
    else
        qs_label(d, ": statistic %u", index);
}
