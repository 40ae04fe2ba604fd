/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd/player.h"

#include <string.h>

#include "common/core/writer.h"
#include "common/fte/constants.h"
#include "common/quakeworld/constants.h"

void qwd_player_level(struct qwd_player *player)
{
    memset(player->asked, 0, sizeof player->asked);
    player->valid = 0;
}

void qwd_player_command(struct qwd_player *player)
{
    player->asked[player->out % QWD_PLAYER_FRAMES] = player->valid;
    player->out++;
}

/* The engine has numbers ahead of its own. */
bool qwd_player_reaches(uint32_t out, uint32_t sequence)
{
    return (int32_t)(out - sequence) < QWD_PLAYER_FRAMES - 1;
}

uint32_t qwd_player_base(const struct qwd_player *player, uint32_t sequence)
{
    return player->asked[sequence % QWD_PLAYER_FRAMES];
}

bool qwd_player_accepts(const struct qwd_player *player, uint32_t sequence, uint32_t base)
{
    return base && base == qwd_player_base(player, sequence) &&
           qwd_player_reaches(player->out, sequence) && qwd_player_reaches(player->out, base);
}

void qwd_player_accept(struct qwd_player *player, uint32_t sequence)
{
    player->valid = sequence;
}

/* --- FTE's replacement deltas --- */

enum {
    TOO_OLD = 63,  /* packets: UPDATE_BACKUP - 1 */
    TIME_SIZE = 4, /* of the server's time, before the updates */
    RESET = UPDATE_REMOVE
};

void qwd_replacement_level(struct qwd_replacement *replacement)
{
    replacement->any = false;
}

/* Servers write the reset first. */
static bool has_reset(struct qs_view body)
{
    return body.size >= TIME_SIZE + 2 && qs_le16(body.data + TIME_SIZE) == RESET;
}

enum qwd_replacement_need qwd_replacement_needs(const struct qwd_replacement *replacement,
                                                uint32_t sequence, struct qs_view body)
{
    if (has_reset(body) || body.size < TIME_SIZE)
        return QWD_REPLACEMENT_NOTHING;
    if (!replacement->any)
        return QWD_REPLACEMENT_RESET;
    return sequence - replacement->valid >= TOO_OLD ? QWD_REPLACEMENT_FILLER
                                                    : QWD_REPLACEMENT_NOTHING;
}

uint32_t qwd_replacement_filler(const struct qwd_replacement *replacement)
{
    return replacement->valid + TOO_OLD - 1;
}

void qwd_replacement_accept(struct qwd_replacement *replacement, uint32_t sequence)
{
    replacement->any = true;
    replacement->valid = sequence;
}

void qwd_replacement_append_reset(GByteArray *to, struct qs_view body)
{
    qs_write_u8(to, SVC_FTE_UPDATEENTITIES);
    qs_write_view(to, (struct qs_view){body.data, TIME_SIZE});
    qs_write_u16(to, RESET);
    qs_write_view(to, (struct qs_view){body.data + TIME_SIZE, body.size - TIME_SIZE});
}

static const uint8_t end[2];
const struct qs_view qwd_replacement_empty = {end, sizeof end};

void qwd_replacement_append(GByteArray *to, struct qs_view body, struct qs_view updates)
{
    qs_write_u8(to, SVC_FTE_UPDATEENTITIES);
    qs_write_view(to, (struct qs_view){body.data, TIME_SIZE});
    qs_write_view(to, updates);
}
