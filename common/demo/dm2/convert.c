/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/dm2/dm2.h"

#include <string.h>

#include "common/core/hash.h"
#include "common/core/containers.h"

void dm2_converter_init(struct dm2_converter *converter)
{
    memset(converter, 0, sizeof *converter);
    converter->events = g_hash_table_new(qs_direct_hash, NULL);
}

void dm2_converter_clear(struct dm2_converter *converter)
{
    if (converter->moves)
        g_array_free(converter->moves, TRUE);
    g_hash_table_destroy(converter->events);
    q2_frame_free(converter->frame);
    q2_frame_free(converter->last);
}

void dm2_converter_level(struct dm2_converter *converter)
{
    g_hash_table_remove_all(converter->events);
    g_clear_pointer(&converter->last, q2_frame_free);
    converter->server_number = 0;
}

void dm2_converter_move(struct dm2_converter *converter, uint32_t sequence,
                        const struct q2_usercmd *command)
{
    struct dm2_converter_move *move;

    if (!command && !converter->moves)
        return;
    if (!converter->moves)
        converter->moves = g_array_new(FALSE, FALSE, sizeof *move);
    if (converter->moves->len == DM2_CONVERT_MOVES)
        g_array_remove_index(converter->moves, 0);
    qs_array_add(converter->moves, &converter->moves_room);
    move = &g_array_index(converter->moves, struct dm2_converter_move, converter->moves->len - 1);
    memcpy(move->angles, command ? command->angles : move[-1].angles, sizeof move->angles);
    move->sequence = sequence;
}

/* Returns the newest move that the server knew when it acknowledged `sequence`, and drops older
 * ones. NULL if no recent one was captured. */
static const struct dm2_converter_move *newest_move(const struct dm2_converter *converter,
                                                    uint32_t sequence)
{
    GArray *moves = converter->moves;
    guint i = moves ? moves->len : 0;

    while (i && g_array_index(moves, struct dm2_converter_move, i - 1).sequence > sequence)
        i--;
    if (i > 1)
        g_array_remove_range(moves, 0, i - 1);
    return i && sequence - g_array_index(moves, struct dm2_converter_move, 0).sequence <
                       DM2_CONVERT_MOVES
               ? &g_array_index(moves, struct dm2_converter_move, 0)
               : NULL;
}

/* --- Player's view and entity --- */

/* Restores a living player's view angles from the client's move: servers do not send them back. */
static void restore_view(struct dm2_converter *converter, const struct dm2_converter_move *move,
                         uint32_t acknowledged, struct q2_player *player)
{
    if (player->pm_type >= PM_DEAD || player->pm_flags & PMF_NO_PREDICTION)
        return;
    converter->viewless |= !move;
    if (!move)
        return;
    converter->view_is_old = move->sequence != acknowledged;
    for (unsigned i = 0; i < 3; i++)
        player->viewangles[i] = (int16_t)(move->angles[i] + player->delta_angles[i]);
}

/* Restores origin and angles of a living client's own entity, which Q2PRO omits. Source: Q2PRO,
 * utils.c Com_PlayerToEntityState. */
static void restore_own_entity(struct q2_frame *frame, const struct q2_frame *last)
{
    const struct q2_player *player = &frame->player;
    const uint32_t number = (uint32_t)(player->clientnum + 1);
    const struct q2_entity *before = q2_frame_entity(last, number);
    struct q2_entity *own;
    guint index;

    if (player->pm_type >= PM_DEAD || !q2_entities_find(frame->entities, number, &index))
        return;
    own = q2_entities_change(frame->entities, index);
    memcpy(own->old_origin, before ? before->origin : player->origin, sizeof own->old_origin);
    memcpy(own->origin, player->origin, sizeof own->origin);
    own->angles[0] = player->viewangles[0] / 3;
    own->angles[1] = player->viewangles[1];
    own->angles[2] = 0;
}

/* Hides the player whose view the client watches, because a demo names its player only once. */
static void hide_watched(const struct q2_session *session, struct q2_frame *frame)
{
    const int watched = frame->player.clientnum;
    guint index;

    if (watched != session->player &&
        q2_entities_find(frame->entities, (uint32_t)(watched + 1), &index))
        q2_entities_change(frame->entities, index)->model[0] = 0;
}

/* --- Skipped frames --- */

/*
 * Returns the frame's number in the demo, which counts tenths of a second. If the client requests
 * another rate, the server continues its numbers, but each one then stands for another duration.
 */
static int32_t demo_number(struct dm2_converter *converter, int32_t number, int32_t every)
{
    const int32_t since = number - converter->server_number;
    int64_t next = number / every;

    if (converter->server_number)
        next = (int64_t)converter->demo_number + MAX(since / MAX(every, converter->every), 1);
    converter->server_number = number;
    converter->every = every;
    converter->demo_number = (int32_t)MIN(next, INT32_MAX);
    return converter->demo_number;
}

static void keep_events(struct dm2_converter *converter, const struct q2_frame *frame)
{
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, i);

        if (entity->event)
            g_hash_table_insert(converter->events, GUINT_TO_POINTER(entity->number),
                                GUINT_TO_POINTER(entity->event));
    }
}

static void add_events(struct dm2_converter *converter, struct q2_frame *frame)
{
    if (!g_hash_table_size(converter->events))
        return;
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, i);
        const gpointer event =
            g_hash_table_lookup(converter->events, GUINT_TO_POINTER(entity->number));

        if (event && !entity->event)
            q2_entities_change(frame->entities, i)->event = (uint8_t)GPOINTER_TO_UINT(event);
    }
    g_hash_table_remove_all(converter->events);
}

const struct q2_frame *dm2_converter_frame(struct dm2_converter *converter,
                                           const struct q2_session *session,
                                           const struct q2_frame *frame, uint32_t acknowledged)
{
    const bool is_q2pro = q2_is_q2pro(session->base.version);
    const int32_t rate = session->level.frame_rate ? session->level.frame_rate : DM2_CONVERT_RATE;
    const int32_t every = MAX(rate / DM2_CONVERT_RATE, 1);
    const struct dm2_converter_move *move = newest_move(converter, acknowledged);
    struct q2_frame *to;

    converter->view_is_old = false;
    if (frame->number % every) {
        keep_events(converter, frame);
        return NULL;
    }
    if (!converter->frame)
        converter->frame = g_new0(struct q2_frame, 1);
    to = converter->frame;
    q2_frame_copy(to, frame);
    to->number = demo_number(converter, frame->number, every);
    if (is_q2pro)
        to->suppressed &= FF_SUPPRESSED;
    else
        to->player.clientnum = session->player;
    add_events(converter, to);
    if (!session->recording)
        restore_view(converter, move, acknowledged, &to->player);
    if (is_q2pro && !session->recording)
        restore_own_entity(to, converter->last);
    hide_watched(session, to);
    return to;
}

void dm2_converter_keep(struct dm2_converter *converter)
{
    struct q2_frame *before = converter->last;

    converter->last = converter->frame;
    converter->frame = before;
}
