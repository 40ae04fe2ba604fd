/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd/player.h"

#include <string.h>

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

bool qwd_player_takes(const struct qwd_player *player, uint32_t sequence, uint32_t base)
{
    return base && base == qwd_player_base(player, sequence) &&
           qwd_player_reaches(player->out, sequence) && qwd_player_reaches(player->out, base);
}

void qwd_player_took(struct qwd_player *player, uint32_t sequence)
{
    player->valid = sequence;
}
