/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config strings: their ranges, and the names that they give to models, sounds, images, items and
 * players. Source: dm2-format, section 3.14; engine, q_shared.h CS_*; extended limits:
 * PROTOCOL.md, section 13.
 */
#ifndef Q2_CONFIGSTRINGS_H
#define Q2_CONFIGSTRINGS_H

#include "common/quake2/session.h"

enum q2_range {
    Q2_RANGE_NAME,
    Q2_RANGE_CDTRACK,
    Q2_RANGE_SKY,
    Q2_RANGE_SKYAXIS,
    Q2_RANGE_SKYROTATE,
    Q2_RANGE_STATUSBAR,
    Q2_RANGE_AIRACCEL,
    Q2_RANGE_MAXCLIENTS,
    Q2_RANGE_MAPCHECKSUM,
    Q2_RANGE_MODELS,
    Q2_RANGE_SOUNDS,
    Q2_RANGE_IMAGES,
    Q2_RANGE_LIGHTS,
    Q2_RANGE_ITEMS,
    Q2_RANGE_PLAYERSKINS,
    Q2_RANGE_GENERAL,
    Q2_RANGE_SHADOWLIGHTS, /* this and those behind it: of the rerelease */
    Q2_RANGE_WHEEL_WEAPONS,
    Q2_RANGE_WHEEL_AMMO,
    Q2_RANGE_WHEEL_POWERUPS,
    Q2_RANGE_CD_LOOP_COUNT,
    Q2_RANGE_GAME_STYLE,
    Q2_RANGES
};

/* The range that config string `index` is in, and in `*number` its number there. False behind the
 * last. */
bool q2_configstring_range(const struct q2_session *session, uint32_t index, enum q2_range *range,
                           uint32_t *number);

/* One past the last index: also the end mark of streams. */
uint32_t q2_configstring_end(const struct q2_session *session);

/*
 * Whether config string `index` is nothing that an engine should be given (text.h): a name of a
 * file that is none, or a program of the status bar with one. A level's name is that of a film
 * where nobody plays: id's cl_parse.c, CL_ParseServerData.
 */
bool q2_configstring_is_unsafe(const struct q2_session *session, uint32_t index,
                               struct qs_view text);

/* Sets a config string; where `index` is behind the last, nothing happens. */
void q2_configstring_set(struct q2_session *session, uint32_t index, struct qs_view text);

/* The config string at `number` of `range`, or NULL where none is known. */
const char *q2_configstring(const struct q2_session *session, enum q2_range range, uint32_t number);

/* The name of a player, from the config string `name\model/skin`, as a new string; NULL: unknown.
 */
char *q2_player_name(const struct q2_session *session, uint32_t player);

#endif
