/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of id's game code (progs), which Quake and QuakeWorld share. Sources: dem-format, 6.7 and
 * 6.16; qwd-format, table 6.
 */
#ifndef FTE_PROGS_H
#define FTE_PROGS_H

#include "common/core/field.h"

/* Item bits; messages of a byte cut the axe's to 0. */
extern const struct qs_name qs_progs_weapon_names[];
extern const struct qs_name qs_progs_channel_names[];

#endif
