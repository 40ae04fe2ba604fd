/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/stats/stats.h"

#include "common/core/text.h"

/* Numbers that rows with the roles QS_ROLE_X to QS_ROLE_HEALTH have. */
enum { X, Y, Z, HEALTH, FIGURES, ALL_AXES = 1 << X | 1 << Y | 1 << Z };

struct qs_place {
    char player[QS_PLAYER_NAME_MAX]; /* "": the session's own */
    double at[FIGURES];
    unsigned known; /* bits of `at`: what a packet leaves out has not changed */
};

void qs_places_begin(struct qs_places *places)
{
    if (!places->found)
        places->found = g_array_new(FALSE, TRUE, sizeof(struct qs_place));
    g_array_set_size(places->found, 0);
    *places = (struct qs_places){.found = places->found};
}

static void begin_group(struct qs_places *places, enum qs_role role)
{
    if (role == QS_ROLE_NONE)
        *places = (struct qs_places){.found = places->found};
    else
        places->named |= role == QS_ROLE_OWN;
}

static void add_figure(struct qs_places *places, unsigned figure, double value)
{
    struct qs_place *place;

    if (!places->placing)
        g_array_set_size(places->found, places->found->len + 1);
    places->placing = true;
    place = &g_array_index(places->found, struct qs_place, places->found->len - 1);
    g_strlcpy(place->player, places->player, sizeof place->player);
    place->at[figure] = value;
    place->known |= 1u << figure;
}

void qs_places_hear(struct qs_places *places, const struct qs_field *row,
                    const struct qs_value *value)
{
    char *text;

    if (!value) {
        begin_group(places, row->role);
    } else if (row->role == QS_ROLE_PLAYER) {
        text = qs_text_utf8(value->bytes);
        g_strlcpy(places->player, text, sizeof places->player);
        g_free(text);
        places->named = true;
    } else if (row->role == QS_ROLE_STAT) {
        places->other = g_strcmp0(qs_name_of(row->names, (uint32_t)value->u), "STAT_HEALTH") != 0;
    } else if (row->role == QS_ROLE_HEALTH && !places->other) {
        add_figure(places, HEALTH, (double)value->i);
    } else if (row->role >= QS_ROLE_X && row->role < QS_ROLE_HEALTH && places->named) {
        add_figure(places, row->role - QS_ROLE_X, value->f);
    }
}

/* What is known of the player, with what the packet tells. */
static const struct qs_place *learn(GHashTable *seen, uint32_t session, const char *own_player,
                                    const struct qs_place *place)
{
    const char *player = *place->player ? place->player : own_player;
    char *key = g_strdup_printf("%u %s", session, player);
    struct qs_place *known = g_hash_table_lookup(seen, key);

    if (!known) {
        known = g_new0(struct qs_place, 1);
        g_strlcpy(known->player, player, sizeof known->player);
        g_strdelimit(known->player, "\"", '\'');
        g_hash_table_insert(seen, g_strdup(key), known);
    }
    g_free(key);
    for (unsigned i = 0; i < FIGURES; i++)
        if (place->known >> i & 1)
            known->at[i] = place->at[i];
    known->known |= place->known;
    return known;
}

void qs_places_print(const struct qs_places *places, GHashTable *seen, GString *to, double time,
                     uint32_t session, const char *own_player)
{
    for (guint i = 0; i < places->found->len; i++)
        learn(seen, session, own_player, &g_array_index(places->found, struct qs_place, i));
    for (guint i = 0; i < places->found->len; i++) {
        const struct qs_place *place = &g_array_index(places->found, struct qs_place, i);
        const struct qs_place *known = learn(seen, session, own_player, place);

        if (!(place->known & ALL_AXES) || (known->known & ALL_AXES) != ALL_AXES)
            continue;
        g_string_append_printf(to, "%.6f,%u,\"%s\",%.3f,%.3f,%.3f,", time, session, known->player,
                               known->at[X], known->at[Y], known->at[Z]);
        g_string_append_printf(to, known->known >> HEALTH & 1 ? "%.0f\n" : "\n", known->at[HEALTH]);
    }
}
