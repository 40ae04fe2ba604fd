/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Quake II session that began late borrows: whether a sign-on fits it, which player it is,
 * and the frames that its first ones are changes to. Source: common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/demo/dm2.h"
#include "common/demo/dm2_lend.h"
#include "common/quake2/baselines.h"
#include "common/quake2/configstrings.h"
#include "common/quake2/quake2.h"

enum {
    REFERENCES_MAX = Q2_FRAMES_KEPT / 2, /* frames that deltas may go back to */
    PLAYERS_MAX = 256,
    UNREADABLE_MAX = 3, /* of a hundred packets */
    CONTRADICTIONS_MIN = 3,
    CONTRADICTIONS_MAX = 10, /* of a hundred entities that come into view */
    SLOT_PROOF = 3,          /* frames in which an entity stands where the player does */
    MOVES_MAX = 1024,
    MOVES_FRAMES = 32,
    MOVES_PROOF = 3, /* so many more show the same than another place */
    SOUND_RADIUS = 400 * 8,
    GUNS_MAX = 16,
    USUAL_FOV = 90,             /* degrees */
    USUAL_VIEW_HEIGHT = 22 * 4, /* quarters of units */
    CUSTOM_MODEL = 255          /* a player's own */
};

#define ORIGIN_BITS (U_ORIGIN1 | U_ORIGIN2 | U_ORIGIN3)

/* The first that is told of an entity. */
struct first {
    struct q2_mention mention;
    struct q2_entity state; /* as if it had come into view with it; of a removal: nothing */
};

/* Where a delta of the first frames puts an entity. */
struct move {
    struct q2_mention mention;
    int32_t origin[3];
};

struct borrower {
    struct qs_borrower base;
    struct dm2_told *told; /* a copy of its own */
    enum qs_lender_kind kind;
    struct q2_session lent;
    struct q2_tracker *tracker; /* of the first look */
    bool looked;
    struct q2_dialect dialect; /* of the late session */

    GArray *moves;    /* struct move: at the beginning */
    bool synchronous; /* the lender's frames are of the same time: */
    int32_t offset;   /* what a frame's number is more there */

    uint32_t messages, unreadable;
    uint32_t agreements, contradictions;
    int32_t first_frame; /* number of the first; 0: none was seen */
    bool whole_seen;     /* a frame came that is no delta: nothing is to be found out any more */
    int32_t references[REFERENCES_MAX]; /* numbers of frames before the first */
    unsigned reference_count;
    GHashTable *firsts;         /* number -> struct first */
    bool moved[PLAYERS_MAX];    /* by entity: it was told where it is */
    bool gone[PLAYERS_MAX];     /* by entity: it was removed */
    bool baseless[PLAYERS_MAX]; /* and came again without a model: its baseline must have one */
    struct q2_player player;    /* the first values sent */
    uint16_t guns[GUNS_MAX];    /* models of weapons in the player's hand, each once */
    unsigned gun_count;
    int32_t placed; /* number of the frame in which the player's place was first told; 0: never */
    uint32_t
        at_player[PLAYERS_MAX]; /* by entity: frames in which it stands where the player does */

    int16_t slot;
    struct q2_frame bases[REFERENCES_MAX];
};

static struct borrower *of(struct qs_borrower *borrower)
{
    return (struct borrower *)borrower;
}

/* --- The sign-on in the dialect of the session --- */

/* A solid of 16 bits in 32: PROTOCOL.md, section 8. */
static uint32_t long_solid(uint32_t solid)
{
    const uint32_t radius = (solid & 31) * 8, down = (solid >> 5 & 31) * 8;
    const uint32_t up = (solid >> 10) * 8 - 32 + 32768;

    return solid && solid != Q2_SOLID_BRUSH && solid <= UINT16_MAX ? up << 16 | down << 8 | radius
                                                                   : solid;
}

static void translate(const struct borrower *b, struct q2_entity *entity)
{
    if (b->dialect.long_solid && !b->lent.dialect.long_solid)
        entity->solid = long_solid(entity->solid);
    entity->event = 0;
}

static void translate_baselines(struct borrower *b)
{
    struct q2_entity baseline;

    for (uint32_t i = 1; i < qs_table_end(&b->lent.baselines); i++) {
        if (!q2_baseline_get(&b->lent, i, &baseline))
            continue;
        translate(b, &baseline);
        q2_baseline_set(&b->lent, &baseline);
    }
}

/* At another time other people played. */
static void forget_players(struct q2_session *session)
{
    enum q2_range range;
    uint32_t number;

    for (uint32_t i = 0; i < qs_table_end(&session->configstrings); i++)
        if (q2_configstring_range(session, i, &range, &number) && range == Q2_RANGE_PLAYERSKINS)
            qs_table_set(&session->configstrings, i, (struct qs_view){0});
}

static struct qs_borrower *dm2_borrow(const struct qs_sign_on *sign_on, enum qs_lender_kind kind)
{
    struct borrower *b = g_new0(struct borrower, 1);

    b->base.unknown = g_string_new(NULL);
    b->told = sign_on->extra->copy(sign_on->extra);
    b->kind = kind;
    q2_session_copy(&b->lent.base, &b->told->session.base);
    if (kind == QS_LENDER_OTHER)
        forget_players(&b->lent);
    b->tracker = q2_tracker_new();
    q2_tracker_want_mentions(b->tracker);
    b->firsts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    b->moves = g_array_new(FALSE, FALSE, sizeof(struct move));
    return &b->base;
}

static void dm2_borrower_free(struct qs_borrower *borrower)
{
    struct borrower *b = of(borrower);

    q2_session_clear(&b->lent.base);
    b->told->extra.free(b->told);
    q2_tracker_free(b->tracker);
    g_hash_table_destroy(b->firsts);
    g_array_free(b->moves, TRUE);
    for (unsigned i = 0; i < b->reference_count; i++)
        q2_frame_clear(&b->bases[i]);
    g_string_free(b->base.unknown, TRUE);
    g_free(b);
}

static void dm2_seed(struct qs_borrower *borrower, struct qs_session *session,
                     const struct qs_session *known)
{
    struct borrower *b = of(borrower);
    struct q2_session *late = q2_session_of(session);

    q2_session_borrow(late, &b->lent, q2_session_of_const(known));
    late->player = b->slot;
    /* Only those who record are told where they are themselves: PROTOCOL.md, section 9. */
    late->recording |= b->slot >= 0 && b->slot + 1 < PLAYERS_MAX && b->moved[b->slot + 1];
    if (b->looked)
        return;
    b->dialect = late->dialect;
    translate_baselines(b);
    qs_table_clear(&late->baselines);
    qs_table_copy(&late->baselines, &b->lent.baselines);
    q2_tracker_attach(b->tracker, late);
}

/* --- Looking at the session --- */

static void add_reference(struct borrower *b, int32_t number)
{
    for (unsigned i = 0; i < b->reference_count; i++)
        if (b->references[i] == number)
            return;
    if (b->reference_count < REFERENCES_MAX)
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
static void see_player(struct borrower *b, const struct q2_player *player)
{
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        take_first((char *)&b->player + members[i].offset, (const char *)player + members[i].offset,
                   members[i].size);
    for (size_t i = 0; i < G_N_ELEMENTS(player->stats); i++)
        take_first(&b->player.stats[i], &player->stats[i], sizeof player->stats[i]);
}

static void see_gun(struct borrower *b, uint16_t model)
{
    for (unsigned i = 0; i < b->gun_count; i++)
        if (b->guns[i] == model)
            return;
    if (model && b->gun_count < GUNS_MAX)
        b->guns[b->gun_count++] = model;
}

/* The player's own entity is where he is. */
static void see_place(struct borrower *b, const struct q2_frame *frame)
{
    static const int32_t nowhere[3];
    const int32_t *origin = frame->player.origin;

    if (memcmp(origin, nowhere, sizeof nowhere) == 0)
        return;
    if (!b->placed)
        b->placed = frame->number;
    for (guint i = 0; i < frame->entities->len; i++) {
        const struct q2_entity *entity = q2_entities_at(frame->entities, i);

        if (entity->number < PLAYERS_MAX && entity->number <= b->lent.max_clients &&
            memcmp(entity->origin, origin, sizeof entity->origin) == 0)
            b->at_player[entity->number]++;
    }
}

static void see_first(struct borrower *b, const struct q2_mention *mention,
                      const struct q2_entity *state)
{
    const gpointer number = GUINT_TO_POINTER(mention->number);
    struct first *first;

    if (b->whole_seen || g_hash_table_contains(b->firsts, number))
        return;
    first = g_new0(struct first, 1);
    first->mention = *mention;
    if (state)
        first->state = *state;
    g_hash_table_insert(b->firsts, number, first);
}

static void see_move(struct borrower *b, const struct q2_mention *mention,
                     const struct q2_entity *state)
{
    struct move move = {.mention = *mention};

    if (!state || !(mention->bits & ORIGIN_BITS) || b->moves->len >= MOVES_MAX ||
        mention->frame - b->first_frame > MOVES_FRAMES)
        return;
    memcpy(move.origin, state->origin, sizeof move.origin);
    g_array_append_val(b->moves, move);
}

static const struct q2_entity *state_in(const struct q2_frame *frame, uint32_t number)
{
    guint index;

    return frame->entities && q2_entities_find(frame->entities, number, &index)
               ? q2_entities_at(frame->entities, index)
               : NULL;
}

/* Q2PRO's baselines have the players that were there when their client connected. */
static void see_return(struct borrower *b, const struct q2_mention *mention)
{
    if (mention->number >= PLAYERS_MAX || mention->number > b->lent.max_clients)
        return;
    b->baseless[mention->number] |=
        b->gone[mention->number] && !(mention->bits & (U_MODEL | U_REMOVE));
    b->gone[mention->number] = mention->bits & U_REMOVE;
    b->moved[mention->number] |= (mention->bits & ORIGIN_BITS) != 0;
}

static void see_mention(struct borrower *b, const struct q2_mention *mention)
{
    const struct q2_frame *frame = q2_tracker_frame(b->tracker, mention->frame);
    const struct q2_entity *state = frame ? state_in(frame, mention->number) : NULL;

    if (!frame)
        return;
    see_return(b, mention);
    see_first(b, mention, state);
    see_move(b, mention, state);
}

static void see_frame(struct borrower *b, const struct q2_frame *frame)
{
    if (!b->first_frame)
        b->first_frame = frame->number;
    if (frame->delta <= 0)
        b->whole_seen = true;
    else if (frame->delta < b->first_frame && !b->whole_seen)
        add_reference(b, frame->delta);
    see_player(b, &frame->player);
    see_gun(b, frame->player.gunindex);
    see_place(b, frame);
}

static bool dm2_look(struct qs_borrower *borrower, const struct qs_decoder *decoder)
{
    struct borrower *b = of(borrower);
    const struct q2_tracker *tracker = b->tracker;

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

/* Q2PRO says it where the view changes, and else leaves out where the own entity is. */
static int16_t find_slot(const struct borrower *b)
{
    unsigned best = 0;

    for (unsigned i = 1; i < PLAYERS_MAX; i++)
        if (b->at_player[i] > b->at_player[best])
            best = i;
    if (b->at_player[best] >= SLOT_PROOF)
        return (int16_t)(best - 1);
    return b->player.clientnum;
}

/* --- Whether the sign-on fits --- */

static bool is_beam(const struct q2_entity *entity)
{
    return entity->renderfx & (RF_BEAM | RF_FRAMELERP);
}

/*
 * An entity that comes into view without an origin stands where its baseline says, and its old
 * origin repeats that.
 */
static void judge(struct borrower *b, const struct first *first)
{
    struct q2_entity baseline;

    if (first->mention.bits & (ORIGIN_BITS | U_REMOVE) || !(first->mention.bits & U_OLDORIGIN) ||
        first->mention.number <= b->lent.max_clients || is_beam(&first->state))
        return;
    if (!q2_baseline_get(&b->lent, first->mention.number, &baseline))
        return;
    if (memcmp(first->state.old_origin, baseline.origin, sizeof baseline.origin) == 0)
        b->agreements++;
    else
        b->contradictions++;
}

/* Models are known by number; 255 is the player's own. */
static bool has_model(const struct borrower *b, uint16_t model)
{
    return !model || model == CUSTOM_MODEL || q2_configstring(&b->lent, Q2_RANGE_MODELS, model);
}

static const struct q2_entity *usual_state(const struct borrower *b, uint32_t number)
{
    const struct dm2_usual *usual = g_hash_table_lookup(b->told->usual, GUINT_TO_POINTER(number));

    return usual ? &usual->state : NULL;
}

/* It came into view just as the lender has it. */
static bool is_as_usual(const struct borrower *b, const struct first *first)
{
    const struct q2_entity *usual = usual_state(b, first->mention.number);

    return first->mention.number > b->lent.max_clients && usual && first->state.model[0] &&
           dm2_same_state(usual, &first->state);
}

/* The numbers of models differ from map to map, if not always: a weapon in the hand must be one in
 * the list. */
static bool has_guns(const struct borrower *b)
{
    for (unsigned i = 0; i < b->gun_count; i++) {
        const char *name = q2_configstring(&b->lent, Q2_RANGE_MODELS, b->guns[i]);

        if (!name || !strstr(name, "/v_"))
            return false;
    }
    return true;
}

static void judge_all(struct borrower *b, bool *models)
{
    GHashTableIter iter;
    gpointer first;

    *models = has_guns(b);
    g_hash_table_iter_init(&iter, b->firsts);
    while (g_hash_table_iter_next(&iter, NULL, &first)) {
        judge(b, first);
        b->base.proof += is_as_usual(b, first);
        if (((struct first *)first)->mention.bits & U_MODEL)
            *models &= has_model(b, ((struct first *)first)->state.model[0]);
    }
}

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

static char *refusal_text(struct borrower *b)
{
    bool models;

    judge_all(b, &models);
    if (!b->first_frame)
        return g_strdup("nothing of the game is seen");
    if (is_more_than(b->unreadable, b->messages, UNREADABLE_MAX))
        return g_strdup_printf("with it, %u of %u packets of the session cannot be read",
                               b->unreadable, b->messages);
    if (b->dialect.extensions != b->lent.dialect.extensions)
        return g_strdup("only one of the two has extended limits");
    if (!models)
        return g_strdup("models of the session are others, or none, in its list");
    if (b->contradictions >= CONTRADICTIONS_MIN &&
        is_more_than(b->contradictions, b->agreements + b->contradictions, CONTRADICTIONS_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or game",
                               b->contradictions, b->agreements + b->contradictions);
    return NULL;
}

/* --- The frames before the first --- */

/* The lender's frame of the same time as the session's of that number, or NULL. */
static const struct q2_frame *lenders_frame(const struct borrower *b, int32_t number,
                                            int32_t offset)
{
    const int64_t wanted = (int64_t)number + offset;
    const struct q2_frame *frame = &b->told->recent[(uint32_t)wanted % Q2_FRAMES_KEPT];

    return frame->entities && frame->trust == Q2_FRAME_WHOLE && frame->number == wanted ? frame
                                                                                        : NULL;
}

/* Whether both put the entity at one place, as far as the delta says. */
static bool is_same_move(const struct move *move, const struct q2_entity *state)
{
    static const uint64_t bits[] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};

    for (unsigned i = 0; i < 3; i++)
        if (move->mention.bits & bits[i] && move->origin[i] != state->origin[i])
            return false;
    return true;
}

static int count_same_moves(const struct borrower *b, int32_t offset)
{
    int score = 0;

    for (guint i = 0; i < b->moves->len; i++) {
        const struct move *move = &g_array_index(b->moves, struct move, i);
        const struct q2_frame *frame = lenders_frame(b, move->mention.frame, offset);
        const struct q2_entity *state = frame ? state_in(frame, move->mention.number) : NULL;

        if (state)
            score += is_same_move(move, state) ? 1 : -1;
    }
    return score;
}

/*
 * id's servers number frames for all clients alike, Q2PRO for each from its own beginning: what
 * moves tells which frames are of one time.
 */
static void synchronize(struct borrower *b)
{
    int best = MOVES_PROOF - 1;

    for (unsigned i = 0; b->kind == QS_LENDER_PRESENT && i < Q2_FRAMES_KEPT; i++) {
        const int32_t offset = b->told->recent[i].number - b->first_frame;
        const int score = b->told->recent[i].entities ? count_same_moves(b, offset) : 0;

        if (score <= best)
            continue;
        best = score;
        b->offset = offset;
        b->synchronous = true;
    }
}

/*
 * As the lender saw the entity in a frame from `from` to before `to`, within which the session was
 * told nothing of it; the nearest. NULL: it did not see it.
 */
static const struct q2_entity *lenders_state(const struct borrower *b, uint32_t number,
                                             int32_t from, int32_t to)
{
    const int32_t end = from + MIN(to - from, Q2_FRAMES_KEPT);

    for (int32_t i = from; b->synchronous && i < end; i++) {
        const struct q2_frame *frame = lenders_frame(b, i, b->offset);
        const struct q2_entity *state = frame ? state_in(frame, number) : NULL;

        if (state)
            return state;
    }
    return NULL;
}

/* Whether it was in view before its first mention: see PROTOCOL.md, section 14. */
static bool was_in_view(const struct borrower *b, const struct first *first)
{
    const uint32_t number = first->mention.number;
    const uint64_t bits = first->mention.bits;
    const struct q2_entity *state;
    struct q2_entity baseline;

    if (bits & U_REMOVE)
        return true;
    if (number > b->lent.max_clients && !is_beam(&first->state)) {
        if (bits & U_OLDORIGIN)
            return false;
        if (!b->dialect.packed && b->agreements)
            return true; /* such a server would have said so */
    }
    if (!q2_baseline_get(&b->lent, number, &baseline))
        return !(bits & U_MODEL);
    state = lenders_state(b, number, first->mention.frame, first->mention.frame + 1);
    if (!state)
        state = usual_state(b, number);
    return !state || !dm2_same_state(state, &first->state);
}

/* The state that the session had been told of an entity in view. */
static struct q2_entity state_before(const struct borrower *b, uint32_t number, int32_t frame)
{
    const struct first *first = g_hash_table_lookup(b->firsts, GUINT_TO_POINTER(number));
    const int32_t until = first ? first->mention.frame : INT32_MAX;
    const struct q2_entity *state = lenders_state(b, number, frame, until);
    struct q2_entity result = {0};

    if (!state)
        state = usual_state(b, number);
    if (state)
        result = *state;
    else if (first && !(first->mention.bits & U_REMOVE))
        result = first->state;
    else
        q2_baseline_get(&b->lent, number, &result);
    result.number = (uint16_t)number;
    translate(b, &result);
    return result;
}

/* How far the entities of the lender's frame are those that the session had in view. */
static int agreement(const struct borrower *b, const struct q2_frame *frame)
{
    GHashTableIter iter;
    gpointer number, first;
    int score = 0;

    g_hash_table_iter_init(&iter, b->firsts);
    while (g_hash_table_iter_next(&iter, &number, &first)) {
        if (GPOINTER_TO_UINT(number) <= b->lent.max_clients)
            continue;
        score +=
            was_in_view(b, first) == (state_in(frame, GPOINTER_TO_UINT(number)) != NULL) ? 1 : -1;
    }
    return score;
}

/* `less`: so much less is it worth. */
static void prefer(const struct borrower *b, const struct q2_frame *frame, int less,
                   const struct q2_frame **best, int *score)
{
    const int own = frame->entities ? agreement(b, frame) - less : 0;

    if (!frame->entities || (*best && own <= *score))
        return;
    *best = frame;
    *score = own;
}

/* The lender's frame that was seen from the likest place. What is there at another time need not be
 * there now. */
static const struct q2_frame *likest_frame(const struct borrower *b)
{
    const int less = b->synchronous ? 1 + (int)g_hash_table_size(b->firsts) / 8 : 0;
    const struct q2_frame *best = NULL;
    int score = 0;

    for (unsigned i = 0; i < Q2_FRAMES_KEPT; i++)
        prefer(b, &b->told->recent[i], 0, &best, &score);
    for (unsigned i = 0; i < DM2_SAMPLES; i++)
        prefer(b, &b->told->samples[i], less, &best, &score);
    return best;
}

/* Sounds without a model are sent to those who are near (SV_BuildClientFrame). */
static bool is_heard(const struct borrower *b, const struct q2_entity *entity)
{
    double distance = 0;

    for (unsigned i = 0; i < 3; i++) {
        const double along = (double)entity->origin[i] - b->player.origin[i];

        distance += along * along;
    }
    return entity->model[0] || entity->effects || distance <= SOUND_RADIUS * SOUND_RADIUS;
}

/* Whether an entity that is never mentioned was there all the time. */
static bool stays_in_view(const struct borrower *b, const struct q2_frame *likest, uint32_t number)
{
    const struct q2_entity *state = likest ? state_in(likest, number) : NULL;

    return state && number > b->lent.max_clients && is_heard(b, state);
}

/* Numbers, ascending: in view before the first frame. */
static GArray *in_view(const struct borrower *b)
{
    const struct q2_frame *likest = likest_frame(b);
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 1; i < Q2_ENTITIES_EXTENDED_MAX; i++) {
        const struct first *first = g_hash_table_lookup(b->firsts, GUINT_TO_POINTER(i));
        const bool there = first ? was_in_view(b, first) : stays_in_view(b, likest, i);

        if (there)
            g_array_append_val(numbers, i);
    }
    return numbers;
}

/* Of what is not told of the player at first, his entity shows where he is and looks. */
static void place_player(struct borrower *b, struct q2_frame *base)
{
    const struct q2_entity *own =
        lenders_state(b, (uint32_t)b->slot + 1, base->number, b->placed ? b->placed : INT32_MAX);

    if (!own)
        return;
    memcpy(base->player.origin, own->origin, sizeof own->origin);
    base->player.viewangles[0] = (int16_t)(own->angles[0] * 3);
    base->player.viewangles[1] = own->angles[1];
}

/* What is never told is usual; players stop at no field of view at all. */
static void complete_player(const struct borrower *b, struct q2_player *player)
{
    if (!player->fov)
        player->fov = USUAL_FOV;
    if (!player->gravity)
        player->gravity = b->told->samples[0].player.gravity;
    if (!player->viewoffset[2])
        player->viewoffset[2] = USUAL_VIEW_HEIGHT;
}

static void make_base(struct borrower *b, unsigned index, const GArray *numbers)
{
    struct q2_frame *base = &b->bases[index];

    *base = (struct q2_frame){.trust = Q2_FRAME_GUESSED,
                              .number = b->references[index],
                              .player = b->player,
                              .entities = q2_entities_new()};
    place_player(b, base);
    complete_player(b, &base->player);
    for (guint i = 0; i < numbers->len; i++) {
        const struct q2_entity state =
            state_before(b, g_array_index(numbers, uint32_t, i), base->number);

        q2_entities_append(base->entities, &state);
    }
}

static void make_bases(struct borrower *b)
{
    GArray *numbers = in_view(b);

    for (unsigned i = 0; i < b->reference_count; i++)
        make_base(b, i, numbers);
    g_array_free(numbers, TRUE);
}

const struct q2_frame *dm2_lent_frame(const struct qs_borrower *borrower, unsigned index)
{
    const struct borrower *b = (const struct borrower *)borrower;

    return index < b->reference_count ? &b->bases[index] : NULL;
}

/* Of a player who was there, what does not change is as it is usually. */
static void lend_player_baselines(struct borrower *b)
{
    for (uint16_t i = 1; i < PLAYERS_MAX; i++) {
        const struct q2_entity *usual = b->baseless[i] ? usual_state(b, i) : NULL;
        struct q2_entity baseline = {.number = i};

        if (!usual || q2_baseline_get(&b->lent, i, &baseline))
            continue;
        memcpy(baseline.model, usual->model, sizeof baseline.model);
        baseline.skin = usual->skin;
        baseline.solid = usual->solid;
        translate(b, &baseline);
        q2_baseline_set(&b->lent, &baseline);
    }
}

/* --- The verdict --- */

static void say_unknown(struct borrower *b)
{
    if (b->whole_seen && !b->reference_count)
        return;
    g_string_append(b->base.unknown, "what of the player's state and statistics did not change at "
                                     "first, until it does");
    if (b->kind == QS_LENDER_OTHER)
        g_string_append(b->base.unknown, "; the names of players, until they change");
}

static char *dm2_refusal(struct qs_borrower *borrower)
{
    struct borrower *b = of(borrower);
    char *refusal;

    b->looked = true;
    refusal = refusal_text(b);
    if (refusal)
        return refusal;
    b->slot = find_slot(b);
    say_unknown(b);
    synchronize(b);
    lend_player_baselines(b);
    make_bases(b);
    return NULL;
}

/* --- The record --- */

/* Without svc_serverdata there is no level to play in. */
static bool dm2_is_late(const struct qs_decoder *decoder)
{
    if (decoder->session->level || !decoder->accepted)
        return false;
    if (!decoder->session->connection)
        return true;
    for (guint i = 0; decoder->direction == QS_S2C && i < decoder->messages->len; i++)
        if (g_array_index(decoder->messages, struct qs_message, i).id == SVC_FRAME)
            return true;
    return false;
}

const struct qs_demo_lending dm2_lending = {
    .tell = dm2_tell,
    .is_late = dm2_is_late,
    .borrow = dm2_borrow,
    .free = dm2_borrower_free,
    .seed = dm2_seed,
    .look = dm2_look,
    .refusal = dm2_refusal,
};
