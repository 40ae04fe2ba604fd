/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <stddef.h>

#include "common/quakeworld/decode.h"

/* clang-format off */
const struct qs_name qw_svc_names[] = {
#define SVC(id, number, name, read, blurb) {number, name},
#define SVC_SHARED(id, number, name, read, blurb)
#include "common/quakeworld/messages.def"
    {0, NULL},
};

const struct qs_name qw_clc_names[] = {
#define CLC(id, number, name, read, blurb) {number, name},
#include "common/quakeworld/messages.def"
    {0, NULL},
};

const struct qs_name qw_temp_entity_names[] = {
#define TE(id, number, name, shape) {number, name},
#include "common/quakeworld/messages.def"
    {0, NULL},
};

const struct qs_name qw_hidden_names[] = {
#define HIDDEN(id, number, name, read, blurb) {number, name},
#include "common/quakeworld/messages.def"
    {MVDHIDDEN_EXTENDED, "mvdhidden_extended"},
    {0, NULL},
};

const struct qs_name qw_qtv_clc_names[] = {
#define QTV_CLC(id, number, name, read) {number, "qtv_clc_" name},
#include "common/quakeworld/messages.def"
    {0, NULL},
};
/* clang-format on */

/* Source: qwd-format, table 7. */
const struct qs_name qw_print_level_names[] = {
    {0, "PRINT_LOW"}, {1, "PRINT_MEDIUM"}, {2, "PRINT_HIGH"}, {3, "PRINT_CHAT"}, {0, NULL},
};

/* Source: qwd-format, table 8. */
const struct qs_name qw_protocol_names[] = {
    {24, "QuakeWorld 1.64"},     {25, "QuakeWorld 2.00, 2.10"}, {26, "QuakeWorld 2.20, 2.21"},
    {27, "QuakeWorld 2.29BETA"}, {28, "QuakeWorld 2.30 on"},    {0, NULL},
};

const struct qs_name qw_pmc_names[] = {
    {0, "PMC_NORMAL"},
    {1, "PMC_NORMAL_JUMP_HELD"},
    {2, "PMC_OLD_SPECTATOR"},
    {3, "PMC_SPECTATOR"},
    {4, "PMC_FLY"},
    {5, "PMC_NONE"},
    {6, "PMC_LOCK"},
    {7, "PMC_WALLWALK"},
    {0, NULL},
};

const struct qs_name qw_block_names[] = {
    {0, "dem_cmd"},    {1, "dem_read"},  {2, "dem_set"}, {3, "dem_multiple"},
    {4, "dem_single"}, {5, "dem_stats"}, {6, "dem_all"}, {0, NULL},
};

/* Source: mvdsv sv_send.c SV_WriteClientdataToMessage. */
const struct qs_name qw_setangle_names[] = {
    {0, "unknown"},
    {1, "teleport"},
    {2, "spawn"},
    {0, NULL},
};

const struct qs_name qw_precache_names[] = {
    {PRECACHE_MODEL >> 14, "model"},
    {PRECACHE_PARTICLE >> 14, "particle effect"},
    {PRECACHE_SOUND >> 14, "sound"},
    {0, NULL},
};

const struct qs_name qw_brush_names[] = {
    {BRUSH_DELETE, "delete"},
    {BRUSH_INSERT, "insert"},
    {BRUSH_PRESPAWNING, "prespawning"},
    {BRUSH_PRESPAWNED, "prespawned"},
    {BRUSH_PATCH_INSERT, "insert patch"},
    {BRUSH_ENTITY_EDIT, "edit entity"},
    {BRUSH_ENTITY_REMOVE, "remove entity"},
    {0, NULL},
};

const struct qs_name qw_debug_names[] = {
    {MVD_DEBUG_ANTILAG, "antilag"},
    {MVD_DEBUG_WEAPON, "weapon"},
    {0, NULL},
};

/* --- Names in the session --- */

void qw_emit_player_name(struct qs_decoder *d, uint32_t player, uint32_t length)
{
    struct qs_view name;

    if (!d->fields_wanted || d->in.overrun)
        return;
    name = qw_player_name(qw_session_of(d), player);
    if (!name.size)
        return;
    qs_emit_generated_bytes(d, QW_PLAYER_NAME, d->in.pos - length, length, name);
    qs_label_text(d, " ", name, "");
}

uint8_t qw_read_player(struct qs_decoder *d, unsigned id)
{
    const uint8_t player = qs_u8(d, id);

    if (qs_label_wanted(d))
        qs_label(d, ": player %u", player);
    qw_emit_player_name(d, player, 1);
    return player;
}

void qw_read_model(struct qs_decoder *d, unsigned id)
{
    const uint32_t at = d->in.pos;

    qw_emit_model_name(d, qs_u8(d, id), at, 1);
}

void qw_emit_entity_name(struct qs_decoder *d, uint32_t entity)
{
    if (entity >= 1 && entity <= QW_PLAYERS_MAX)
        qw_emit_player_name(d, entity - 1, 2);
}

void qw_emit_model_name(struct qs_decoder *d, uint32_t model, uint32_t offset, uint32_t length)
{
    qs_emit_name(d, QW_MODEL_NAME, &qw_session_of(d)->models, model, offset, length);
}

void qw_emit_sound_name(struct qs_decoder *d, uint32_t sound, uint32_t length)
{
    qs_emit_name(d, QW_SOUND_NAME, &qw_session_of(d)->sounds, sound, d->in.pos - length, length);
}

void qw_label_stat(struct qs_decoder *d, uint8_t index)
{
    const char *name = qs_name_of(fte_stat_names, index);

    if (name)
        qs_label(d, ": %s", name);
    else
        qs_label(d, ": statistic %u", index);
}
