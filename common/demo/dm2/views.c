/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dm2/views.h"

enum {
    CUBE_BITS = 9, /* 64 units of eighths */
    AXIS_BITS = 10,
    AXIS_MASK = (1 << AXIS_BITS) - 1
};

GHashTable *dm2_views_new(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

GHashTable *dm2_views_copy(GHashTable *views)
{
    GHashTable *copy = dm2_views_new();
    GHashTableIter iter;
    gpointer place, view;

    g_hash_table_iter_init(&iter, views);
    while (g_hash_table_iter_next(&iter, &place, &view))
        g_hash_table_insert(copy, place, g_memdup2(view, sizeof(struct dm2_view)));
    return copy;
}

gpointer dm2_place(const int32_t origin[3])
{
    guint place = 0;

    for (unsigned i = 0; i < 3; i++)
        place = place << AXIS_BITS | ((guint)(origin[i] >> CUBE_BITS) & AXIS_MASK);
    return GUINT_TO_POINTER(place);
}

static struct dm2_view *view_for(GHashTable *views, gpointer place)
{
    struct dm2_view *view = g_hash_table_lookup(views, place);

    if (view || g_hash_table_size(views) >= DM2_VIEWS_MAX)
        return view;
    view = g_new0(struct dm2_view, 1);
    g_hash_table_insert(views, place, view);
    return view;
}

void dm2_views_add(GHashTable *views, const struct q2_frame *frame)
{
    struct dm2_view *view = view_for(views, dm2_place(frame->player.origin));

    if (!view)
        return;
    view->frames++;
    for (guint i = 0; i < frame->entities->len; i++) {
        const uint16_t number = q2_entities_at(frame->entities, i)->number;

        if (number < DM2_VIEW_ENTITIES)
            view->seen[number / 8] |= (uint8_t)(1u << number % 8);
    }
}

bool dm2_view_has(const struct dm2_view *view, uint32_t number)
{
    return number < DM2_VIEW_ENTITIES && view->seen[number / 8] >> number % 8 & 1;
}
