/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/fte/progs.h"

#include <stddef.h>

const struct qs_name qs_progs_weapon_names[] = {
    {0, "Axe"},
    {1, "Shotgun"},
    {2, "Super shotgun"},
    {4, "Nailgun"},
    {8, "Super nailgun"},
    {16, "Grenade launcher"},
    {32, "Rocket launcher"},
    {64, "Thunderbolt"},
    {128, "Extra weapon"},
    {4096, "Axe"},
    {0, NULL},
};

const struct qs_name qs_progs_channel_names[] = {
    {0, "CHAN_AUTO"}, {1, "CHAN_WEAPON"}, {2, "CHAN_VOICE"},
    {3, "CHAN_ITEM"}, {4, "CHAN_BODY"},   {0, NULL},
};
