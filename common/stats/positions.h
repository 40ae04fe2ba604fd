/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where players are, as packets tell it by rows whose role says so (field.h), as CSV. */
#ifndef QS_STATS_POSITIONS_H
#define QS_STATS_POSITIONS_H

#include <glib.h>

#include "common/core/sink.h"

/* Bytes of a player's name, with the terminator; what is over is cut. */
enum { QS_PLAYER_NAME_MAX = 128 };

/* What one packet tells; zeroed at first. */
struct qs_places {
    GArray *found;                   /* struct qs_place */
    char player[QS_PLAYER_NAME_MAX]; /* of the group at hand; "": the session's own */
    bool named;                      /* the group is of that player */
    bool placing;                    /* the last place was found in the group */
    bool other;                      /* the figure that comes is not the health */
};

void qs_places_begin(struct qs_places *places);

/* All groups (`value` NULL) and fields of the packet, in their order. */
void qs_places_hear(struct qs_places *places, const struct qs_field *row,
                    const struct qs_value *value);

/* Appends a line for each place: time, session, player, x, y, z, health. `seen` keeps what is known
 * of players from packet to packet: text -> g_malloc()ed. */
void qs_places_print(const struct qs_places *places, GHashTable *seen, GString *to, double time,
                     uint32_t session, const char *own_player);

#endif
