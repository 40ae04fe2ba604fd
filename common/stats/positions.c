/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/positions.h"

#include <stdio.h>
#include <string.h>

#include "common/core/text.h"

enum { ALL_AXES = 7 };

struct qs_place {
    char player[QS_PLAYER_NAME_MAX]; /* "": the session's own */
    double at[3];                    /* x, y, z */
    unsigned axes;                   /* bits of `at`: what a packet leaves out has not changed */
};

/* Of a player of a session. */
struct known {
    double at[3];
    unsigned axes;
    char health[24]; /* "": not known */
};

void qs_places_begin(struct qs_places *places)
{
    if (!places->found)
        places->found = g_array_new(FALSE, TRUE, sizeof(struct qs_place));
    g_array_set_size(places->found, 0);
    *places = (struct qs_places){.found = places->found};
}

static void add_coordinate(struct qs_places *places, const char *name, double value)
{
    const unsigned axis = (unsigned)(name[strlen(name) - 1] - 'x');
    struct qs_place *place;

    if (axis > 2 || !strstr(name, *places->player ? ".origin." : ".player.origin."))
        return;
    if (!places->placing)
        g_array_set_size(places->found, places->found->len + 1);
    places->placing = true;
    place = &g_array_index(places->found, struct qs_place, places->found->len - 1);
    g_strlcpy(place->player, places->player, sizeof place->player);
    place->at[axis] = value;
    place->axes |= 1u << axis;
}

/* What a row is, its name says: games have the same one for the same thing. */
void qs_places_hear(struct qs_places *places, const struct qs_field *row,
                    const struct qs_value *value)
{
    char *text;

    if (!value) {
        if (!g_str_has_suffix(row->name, ".origin"))
            places->player[0] = '\0', places->figure = NULL, places->placing = false;
    } else if (row->type == QS_COORD) {
        add_coordinate(places, row->name, value->f);
    } else if (row->type == QS_TEXT && g_str_has_suffix(row->name, ".player.name")) {
        text = qs_text_utf8(value->bytes);
        g_strlcpy(places->player, text, sizeof places->player);
        g_free(text);
    } else if (row->names && g_str_has_suffix(row->name, ".index")) {
        places->figure = qs_name_of(row->names, (uint32_t)value->u);
    } else if (g_str_has_suffix(row->name, ".clientdata.health") ||
               (g_strcmp0(places->figure, "STAT_HEALTH") == 0 &&
                g_str_has_suffix(row->name, ".value"))) {
        places->has_health = true;
        places->health = value->i;
    }
}

static struct known *known_of(GHashTable *seen, uint32_t session, const char *player)
{
    char *key = g_strdup_printf("%u %s", session, player);
    struct known *known = g_hash_table_lookup(seen, key);

    if (known)
        g_free(key);
    else
        g_hash_table_insert(seen, key, known = g_new0(struct known, 1));
    return known;
}

void qs_places_print(const struct qs_places *places, GHashTable *seen, GString *to, double time,
                     uint32_t session, const char *own_player)
{
    struct known *known = known_of(seen, session, own_player);

    if (places->has_health)
        snprintf(known->health, sizeof known->health, "%" G_GINT64_FORMAT, places->health);
    for (guint i = 0; i < places->found->len; i++) {
        const struct qs_place *place = &g_array_index(places->found, struct qs_place, i);
        char *player = g_strdup(*place->player ? place->player : own_player);

        known = known_of(seen, session, player);
        for (unsigned axis = 0; axis < 3; axis++)
            if (place->axes >> axis & 1)
                known->at[axis] = place->at[axis];
        known->axes |= place->axes;
        if (known->axes == ALL_AXES)
            g_string_append_printf(to, "%.6f,%u,\"%s\",%.3f,%.3f,%.3f,%s\n", time, session,
                                   g_strdelimit(player, "\"", '\''), known->at[0], known->at[1],
                                   known->at[2], known->health);
        g_free(player);
    }
}
