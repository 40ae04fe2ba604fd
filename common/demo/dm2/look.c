/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a late Quake II session tells: PROTOCOL.md of common/quake2, section 14. */
#include <string.h>

#include "common/demo/dm2/borrower.h"
#include "common/quake2/configstrings.h"

enum {
    SLOT_PROOF = 3, /* frames in which an entity stands where the player does */
    MOVES_MAX = 1024,
    MOVES_FRAMES = 32
};

const struct q2_entity *dm2_state_in(const struct q2_frame *frame, uint32_t number)
{
    guint index;

    return frame->entities && q2_entities_find(frame->entities, number, &index)
               ? q2_entities_at(frame->entities, index)
               : NULL;
}

static void add_reference(struct dm2_borrower *b, int32_t number)
{
    for (unsigned i = 0; i < b->reference_count; i++)
        if (b->references[i] == number)
            return;
    if (b->reference_count < DM2_REFERENCES_MAX)
        b->references[b->reference_count++] = number;
}

/* The members of a player's state, each of which is sent by itself. */
#define MEMBER(name)                                                                               \
    {                                                                                              \
        offsetof(struct q2_player, name), sizeof((struct q2_player *)0)->name                      \
    }
#define MEMBERS3(name) MEMBER(name[0]), MEMBER(name[1]), MEMBER(name[2])
static const struct {
    size_t offset, size;
} members[] = {
    MEMBER(pm_type),      MEMBER(pm_time),     MEMBER(pm_flags),     MEMBER(gravity),
    MEMBERS3(origin),     MEMBERS3(velocity),  MEMBER(delta_angles), MEMBERS3(viewangles),
    MEMBER(viewoffset),   MEMBER(kick_angles), MEMBER(gunoffset),    MEMBER(gunangles),
    MEMBER(gunindex),     MEMBER(gunskin),     MEMBER(gunframe),     MEMBER(blend),
    MEMBER(damage_blend), MEMBER(fov),         MEMBER(rdflags),      MEMBER(clientnum),
    MEMBER(fog),
};

static void take_first(void *to, const void *from, size_t size)
{
    static const uint8_t nothing[sizeof(struct q2_player)];

    if (memcmp(to, nothing, size) == 0)
        memcpy(to, from, size);
}

/* Of what is not told at first, the first value that is told is the best guess. */
static void see_player(struct dm2_borrower *b, const struct q2_player *player)
{
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        take_first((char *)&b->player + members[i].offset, (const char *)player + members[i].offset,
                   members[i].size);
    for (size_t i = 0; i < G_N_ELEMENTS(player->stats); i++)
        take_first(&b->player.stats[i], &player->stats[i], sizeof player->stats[i]);
}

static void see_gun(struct dm2_borrower *b, uint16_t model)
{
    for (unsigned i = 0; i < b->gun_count; i++)
        if (b->guns[i] == model)
            return;
    if (model && b->gun_count < DM2_GUNS_MAX)
        b->guns[b->gun_count++] = model;
}

static void see_from(struct dm2_borrower *b, gpointer place)
{
    const guint frames = GPOINTER_TO_UINT(g_hash_table_lookup(b->places, place));

    if (!b->whole_seen && (frames || g_hash_table_size(b->places) < DM2_VIEWS_MAX))
        g_hash_table_insert(b->places, place, GUINT_TO_POINTER(frames + 1));
}

/* The player's own entity is where he is. */
static void see_place(struct dm2_borrower *b, const struct q2_frame *frame)
{
    static const int32_t nowhere[3];
    const int32_t *origin = frame->player.origin;

    if (memcmp(origin, nowhere, sizeof nowhere) == 0)
        return;
    if (!b->placed)
        b->placed = frame->number;
    see_from(b, dm2_place(origin));
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, i);

        if (entity->number < DM2_PLAYERS_MAX && entity->number <= b->lent.max_clients &&
            memcmp(entity->origin, origin, sizeof entity->origin) == 0)
            b->at_player[entity->number]++;
    }
}

static void see_first(struct dm2_borrower *b, const struct q2_mention *mention,
                      const struct q2_frame *frame, const struct q2_entity *state)
{
    const gpointer number = GUINT_TO_POINTER(mention->number);
    struct dm2_first *first;

    if (b->whole_seen || g_hash_table_contains(b->firsts, number))
        return;
    first = g_new0(struct dm2_first, 1);
    first->mention = *mention;
    first->placed = b->placed != 0;
    first->place = dm2_place(frame->player.origin);
    if (state)
        first->state = *state;
    g_hash_table_insert(b->firsts, number, first);
}

static void see_move(struct dm2_borrower *b, const struct q2_mention *mention,
                     const struct q2_entity *state)
{
    struct dm2_move move = {.mention = *mention};

    if (!state || !(mention->bits & DM2_ORIGIN_BITS) || b->moves->len >= MOVES_MAX ||
        mention->frame - b->first_frame > MOVES_FRAMES)
        return;
    memcpy(move.origin, state->origin, sizeof move.origin);
    g_array_append_val(b->moves, move);
}

/* Q2PRO's baselines have the players that were there when their client connected. */
static void see_return(struct dm2_borrower *b, const struct q2_mention *mention)
{
    if (mention->number >= DM2_PLAYERS_MAX || mention->number > b->lent.max_clients)
        return;
    b->mentioned[mention->number] = true;
    b->baseless[mention->number] |=
        b->gone[mention->number] && !(mention->bits & (U_MODEL | U_REMOVE));
    b->gone[mention->number] = mention->bits & U_REMOVE;
}

/* Q2PRO leaves out where a client's own entity is and looks, unless he is dead or records. */
static void see_told(struct dm2_borrower *b, const struct q2_mention *mention,
                     const struct q2_frame *frame)
{
    if (mention->number >= DM2_PLAYERS_MAX || frame->player.pm_type >= PM_DEAD || b->set_to_record)
        return;
    b->moved[mention->number] |= (mention->bits & DM2_PLACE_BITS) != 0;
}

bool dm2_records(const struct dm2_borrower *b)
{
    return q2_is_q2pro(b->version) && b->slot >= 0 && b->slot + 1 < DM2_PLAYERS_MAX &&
           b->moved[b->slot + 1];
}

static void see_mention(struct dm2_borrower *b, const struct q2_mention *mention)
{
    const struct q2_frame *frame = q2_tracker_frame(b->tracker, mention->frame);
    const struct q2_entity *state = frame ? dm2_state_in(frame, mention->number) : NULL;

    if (!frame)
        return;
    if (state && !b->judged[mention->number % Q2_ENTITIES_EXTENDED_MAX])
        dm2_judge_place(b, mention, state);
    b->judged[mention->number % Q2_ENTITIES_EXTENDED_MAX] = true;
    see_return(b, mention);
    see_told(b, mention, frame);
    see_first(b, mention, frame, state);
    see_move(b, mention, state);
}

static void see_frame(struct dm2_borrower *b, const struct q2_frame *frame)
{
    if (!b->first_frame)
        b->first_frame = frame->number;
    if (frame->delta <= 0)
        b->whole_seen = true;
    else if (frame->delta < b->first_frame && !b->whole_seen)
        add_reference(b, frame->delta);
    b->area_bytes = frame->area_bytes;
    see_player(b, &frame->player);
    see_gun(b, frame->player.gunindex);
    see_place(b, frame);
    dm2_see_pickup(b, frame);
}

bool dm2_look(struct qs_borrower *borrower, const struct qs_decoder *decoder)
{
    struct dm2_borrower *b = dm2_borrower_of(borrower);
    const struct q2_tracker *tracker = b->tracker;

    b->version = decoder->session->version;
    b->set_to_record |= q2_session_of_const(decoder->session)->recording;
    b->messages += decoder->messages->len != 0;
    b->unreadable += decoder->messages->len && qs_decoder_problems(decoder);
    if (decoder->direction != QS_S2C || !decoder->accepted)
        return true;
    for (guint i = 0; i < tracker->begun->len; i++) {
        const struct q2_frame *frame =
            q2_tracker_frame(tracker, g_array_index(tracker->begun, int32_t, i));

        if (frame)
            see_frame(b, frame);
    }
    for (guint i = 0; i < tracker->mentions->len; i++)
        see_mention(b, &g_array_index(tracker->mentions, struct q2_mention, i));
    return true;
}

/* --- Who the player is --- */

/* Who lends at the same time is another player. */
static bool is_lender(const struct dm2_borrower *b, int player)
{
    return b->kind == QS_LENDER_PRESENT && b->lent.player == player;
}

/* A player of the level whose entity is nowhere to be seen: he may be dead, and watch others. */
static int16_t find_unseen(const struct dm2_borrower *b)
{
    for (uint16_t i = 0; i < b->lent.max_clients && i + 1 < DM2_PLAYERS_MAX; i++)
        if (!is_lender(b, i) && !b->mentioned[i + 1] &&
            q2_configstring(&b->lent, Q2_RANGE_PLAYERSKINS, i))
            return (int16_t)i;
    return b->player.clientnum;
}

/* Q2PRO says it where the view changes, and else leaves out where the own entity is. */
int16_t dm2_find_slot(const struct dm2_borrower *b)
{
    unsigned best = 0;

    for (unsigned i = 1; i < DM2_PLAYERS_MAX; i++)
        if (b->at_player[i] > b->at_player[best] && !is_lender(b, (int)i - 1))
            best = i;
    if (b->at_player[best] >= SLOT_PROOF)
        return (int16_t)(best - 1);
    return is_lender(b, b->player.clientnum) ? find_unseen(b) : b->player.clientnum;
}
