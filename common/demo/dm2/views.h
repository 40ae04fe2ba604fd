/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What clients see from where: a server sends what may be visible from the player's place, so that
 * who was at a place once shows what others are told there. Places are cubes of 64 units.
 */
#ifndef QS_DEMO_DM2_VIEWS_H
#define QS_DEMO_DM2_VIEWS_H

#include <glib.h>

#include "common/quake2/tracker.h"

enum {
    DM2_VIEW_ENTITIES = 1024, /* those with higher numbers are not kept */
    DM2_VIEWS_MAX = 512       /* places */
};

struct dm2_view {
    uint32_t frames; /* seen from there */
    uint8_t seen[DM2_VIEW_ENTITIES / 8];
};

/* Place -> struct dm2_view. */
GHashTable *dm2_views_new(void);
GHashTable *dm2_views_copy(GHashTable *views);

void dm2_views_add(GHashTable *views, const struct q2_frame *frame);

/* As a key of views; `origin` as in struct q2_player. */
gpointer dm2_place(const int32_t origin[3]);

/* In frames seen from the place, whether one had the entity. */
bool dm2_view_has(const struct dm2_view *view, uint32_t number);

#endif
