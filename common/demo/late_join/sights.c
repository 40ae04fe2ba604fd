/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/late_join/sights.h"

#include <math.h>
#include <string.h>

enum { SIGHTS_MAX = 128, EVERY = 16 };

bool qs_numbers_has(const struct qs_numbers *numbers, uint32_t number)
{
    return number < QS_NUMBERS_MAX && numbers->bits[number / 32] >> number % 32 & 1;
}

void qs_numbers_set(struct qs_numbers *numbers, uint32_t number, bool there)
{
    const uint32_t bit = UINT32_C(1) << number % 32;

    if (number >= QS_NUMBERS_MAX)
        return;
    if (there)
        numbers->bits[number / 32] |= bit;
    else
        numbers->bits[number / 32] &= ~bit;
}

void qs_sights_init(struct qs_sights *sights)
{
    *sights = (struct qs_sights){.all = g_array_new(FALSE, TRUE, sizeof(struct qs_sight)),
                                 .every = EVERY};
}

void qs_sights_clear(struct qs_sights *sights)
{
    g_array_free(sights->all, TRUE);
}

struct qs_sight *qs_sights_add(struct qs_sights *sights, uint32_t now, const float origin[3])
{
    struct qs_sight *sight;

    if (sights->all->len == SIGHTS_MAX) {
        for (guint i = 1; i < sights->all->len; i++)
            g_array_remove_index(sights->all, i);
        sights->every *= 2;
    }
    sights->next = now + MIN(sights->every, UINT32_MAX - now);
    g_array_set_size(sights->all, sights->all->len + 1);
    sight = &g_array_index(sights->all, struct qs_sight, sights->all->len - 1);
    memcpy(sight->origin, origin, sizeof sight->origin);
    return sight;
}

/* NULL: there is none. An origin may be no number. */
static const struct qs_sight *nearest(const struct qs_sights *sights, const float origin[3])
{
    const struct qs_sight *best = NULL;
    double least = INFINITY;

    for (guint i = 0; i < sights->all->len; i++) {
        const struct qs_sight *sight = &g_array_index(sights->all, struct qs_sight, i);
        double distance = 0;

        for (unsigned axis = 0; axis < 3; axis++)
            distance += fabs((double)sight->origin[axis] - (double)origin[axis]);
        if (distance < least) {
            least = distance;
            best = sight;
        }
    }
    return best;
}

static void keep_common(struct qs_numbers *common, const struct qs_sight *sight)
{
    for (size_t i = 0; i < G_N_ELEMENTS(common->bits); i++)
        common->bits[i] &= sight->in_view.bits[i];
}

struct qs_numbers qs_sights_common(const struct qs_sights *others, const struct qs_sights *own,
                                   uint8_t player)
{
    struct qs_numbers common;
    bool any = false;

    memset(&common, others->all->len ? 0xff : 0, sizeof common);
    for (guint i = 0; others->all->len && i < own->all->len; i++) {
        const struct qs_sight *sight = &g_array_index(own->all, struct qs_sight, i);
        const struct qs_sight *other =
            sight->player == player ? nearest(others, sight->origin) : NULL;

        if (other)
            keep_common(&common, other);
        any |= other != NULL;
    }
    for (guint i = 0; !any && i < others->all->len; i++)
        keep_common(&common, &g_array_index(others->all, struct qs_sight, i));
    return common;
}
