/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Quake II session that began late borrows: the sign-on in its variant, which player it is,
 * and the verdict. Source: common/quake2/PROTOCOL.md, section 14.
 */
#include <string.h>

#include "common/core/text.h"
#include "common/demo/dm2/borrower.h"
#include "common/quake2/session.h"
#include "common/demo/writer.h"
#include "common/quake2/configstrings.h"

/* --- The sign-on in the variant of the session --- */

static void translate_baselines(struct dm2_borrower *b)
{
    struct q2_entity baseline;

    for (uint32_t i = 1; i < qs_table_end(&b->lent.baselines); i++) {
        if (!q2_baseline_get(&b->lent, i, &baseline))
            continue;
        dm2_translate(b, &baseline);
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
    struct dm2_borrower *b = g_new0(struct dm2_borrower, 1);

    b->base.unknown = g_string_new(NULL);
    b->told = sign_on->extra->copy(sign_on->extra);
    b->kind = kind;
    b->player_known = Q2_PLAYER_UNKNOWN;
    q2_session_copy(&b->lent.base, &b->told->session.base);
    if (kind == QS_LENDER_OTHER)
        forget_players(&b->lent);
    b->tracker = q2_tracker_new();
    q2_tracker_want_mentions(b->tracker);
    b->firsts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    b->places = g_hash_table_new(NULL, NULL);
    b->moves = g_array_new(FALSE, FALSE, sizeof(struct dm2_move));
    return &b->base;
}

static void dm2_borrower_free(struct qs_borrower *borrower)
{
    struct dm2_borrower *b = dm2_borrower_of(borrower);

    q2_session_clear(&b->lent.base);
    b->told->extra.free(b->told);
    q2_tracker_free(b->tracker);
    g_hash_table_destroy(b->firsts);
    g_hash_table_destroy(b->places);
    g_array_free(b->moves, TRUE);
    for (unsigned i = 0; i < b->reference_count; i++)
        q2_frame_clear(&b->bases[i]);
    g_string_free(b->base.unknown, TRUE);
    g_free(b);
}

/* Servers number models, sounds and images by the order in which the level needs them. */
static bool tells_level(const struct q2_session *session, uint32_t index)
{
    enum q2_range range;
    uint32_t number;

    return q2_configstring_range(session, index, &range, &number) &&
           (range == Q2_RANGE_MODELS || range == Q2_RANGE_SOUNDS || range == Q2_RANGE_IMAGES);
}

static void keep_own_strings(struct dm2_borrower *b, struct q2_session *late,
                             const struct q2_session *own)
{
    for (uint32_t i = 0; i < qs_table_end(&own->configstrings); i++) {
        const char *text = qs_table_get(&own->configstrings, i);
        const char *lent = qs_table_get(&late->configstrings, i);

        if (!text)
            continue;
        if (!b->looked && tells_level(own, i))
            g_strcmp0(text, lent) == 0 ? b->base.proof++ : b->other_strings++;
        qs_table_set(&late->configstrings, i, qs_view_of(text));
    }
}

/* What was captured of the sign-on goes before what is lent; players keep their numbers from level
 * to level. */
static void keep_own(struct dm2_borrower *b, struct q2_session *late, const struct q2_session *own)
{
    struct q2_entity baseline;

    b->lost = own->lost;
    b->in_level = true;
    b->servercount = own->servercount;
    if (own->player != Q2_PLAYER_UNKNOWN)
        late->player = b->player_known = own->player;
    late->servercount = own->servercount;
    keep_own_strings(b, late, own);
    for (uint32_t i = 1; i < qs_table_end(&own->baselines); i++)
        if (q2_baseline_get(own, i, &baseline))
            q2_baseline_set(late, &baseline);
}

/* How the connection speaks: as the session's own svc_serverdata said; at last another connection
 * may have begun. */
static const struct q2_session *speaker(const struct dm2_borrower *b, const struct q2_session *own,
                                        const struct q2_session *known)
{
    const bool told = own->base.level && own->player != Q2_PLAYER_UNKNOWN && !own->guessed;

    return told || b->kind == QS_LENDER_ITSELF ? own : known;
}

static void dm2_seed(struct qs_borrower *borrower, struct qs_session *session,
                     const struct qs_session *known)
{
    struct dm2_borrower *b = dm2_borrower_of(borrower);
    struct q2_session *late = q2_session_of(session);
    struct q2_session own;

    q2_session_copy(&own.base, &late->base);
    q2_session_borrow(late, &b->lent, speaker(b, &own, q2_session_of_const(known)));
    b->variant = late->variant;
    if (!b->looked)
        translate_baselines(b);
    qs_table_clear(&late->baselines);
    qs_table_copy(&late->baselines, &b->lent.baselines);
    late->player = b->slot;
    if (own.base.level)
        keep_own(b, late, &own);
    /* Only those who record are told where they are themselves: PROTOCOL.md, section 9. */
    late->recording |= b->records;
    if (!b->looked)
        q2_tracker_attach(b->tracker, late);
    q2_session_clear(&own.base);
}

/* --- The verdict --- */

char *dm2_first_lost_text(const char *map)
{
    return g_strdup_printf("the first frame of %s was not captured", map ? map : "a level");
}

char *dm2_lent_because(const struct qs_borrower *borrower, const char *map)
{
    const struct dm2_borrower *b = (const struct dm2_borrower *)borrower;
    const struct qs_sign_on_loss loss = {b->lost.packet, b->lost.before};

    if (b->lost.seen)
        return qs_sign_on_loss_text(map, &loss);
    return b->in_level ? dm2_first_lost_text(map) : qs_late_text(map);
}

static void say_unknown(struct dm2_borrower *b)
{
    if (b->whole_seen && !b->reference_count)
        return;
    g_string_append(b->base.unknown, "what of the player's state and statistics did not change at "
                                     "first, until it does");
    if (b->kind == QS_LENDER_OTHER && (!b->in_level || b->lost.seen))
        g_string_append(b->base.unknown, "; the names of players, until they change");
    if (b->kind == QS_LENDER_ITSELF)
        g_string_append(b->base.unknown,
                        "; which entities were in view of those that never change");
}

static char *dm2_refusal(struct qs_borrower *borrower)
{
    struct dm2_borrower *b = dm2_borrower_of(borrower);
    char *refusal;

    b->looked = true;
    refusal = b->kind == QS_LENDER_ITSELF ? NULL : dm2_refusal_text(b);
    if (refusal)
        return refusal;
    b->slot = b->player_known != Q2_PLAYER_UNKNOWN ? b->player_known : dm2_find_slot(b);
    b->records = dm2_records(b);
    say_unknown(b);
    dm2_make_bases(b);
    b->base.distance = dm2_distance(b);
    return NULL;
}

/* --- The record --- */

/* Its frames are changes to one that is missing. */
static bool lacks_first(const struct qs_decoder *decoder)
{
    const struct q2_tracker *tracker = q2_session_of_const(decoder->session)->tracker;

    return decoder->direction == QS_S2C && tracker && q2_tracker_lacks_first(tracker);
}

/* Without svc_serverdata there is no level to play in. */
static bool dm2_is_late(const struct qs_decoder *decoder)
{
    if (!decoder->accepted)
        return false;
    if (decoder->session->level)
        return q2_session_of_const(decoder->session)->lost.seen || lacks_first(decoder);
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
    .own = dm2_own,
    .borrow = dm2_borrow,
    .free = dm2_borrower_free,
    .seed = dm2_seed,
    .look = dm2_look,
    .refusal = dm2_refusal,
};
