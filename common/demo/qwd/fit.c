/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a sign-on fits a QuakeWorld session that began late, and which player that is. Source:
 * common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/infostring.h"
#include "common/demo/qwd/borrower.h"

enum {
    UNREADABLE_MAX = 3, /* of a hundred packets */
    WRONG_MIN = 3,
    WRONG_MAX = 3, /* of a hundred entities that come into view */
    STRANGE_MIN = 5
};

/* --- The verdict --- */

static bool is_spectator(const struct qwd_borrower *b, uint8_t player)
{
    return qs_info_value(qs_view_of(qs_table_get(&b->lent.userinfo, player)), "*spectator").size;
}

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

static void say_unknown(struct qwd_borrower *b, const struct qwd_seen *seen)
{
    g_string_append(b->base.unknown, "the player's statistics, until they change");
    if (b->kind == QS_LENDER_OTHER)
        g_string_append(b->base.unknown, "; the names and frags of players, until they change");
    if (seen->bases->len || seen->updates.any)
        g_string_append(b->base.unknown, "; what was in view and is never mentioned");
}

static char *why_not(const struct qwd_borrower *b, const struct qwd_seen *seen)
{
    const char *untranslatable = qwd_untranslatable(&b->theirs, &seen->dialect);

    if (b->version != b->lent.base.version)
        return g_strdup_printf("its protocol is %d, that of the session %d", b->lent.base.version,
                               b->version);
    if (!seen->packets)
        return g_strdup("nothing of the game is seen");
    if (is_more_than(seen->unreadable, seen->packets, UNREADABLE_MAX))
        return g_strdup_printf("with it, %u of %u packets of the session cannot be read",
                               seen->unreadable, seen->packets);
    if (untranslatable)
        return g_strdup(untranslatable);
    if (seen->wrong_models)
        return g_strdup("models of the session are others, or none, in its list");
    if (seen->wrong >= WRONG_MIN &&
        is_more_than(seen->wrong, seen->agreements + seen->wrong, WRONG_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or game",
                               seen->wrong, seen->agreements + seen->wrong);
    if (seen->strange >= STRANGE_MIN && seen->strange > seen->agreements)
        return g_strdup_printf("%u of %u entities are not as it has them: it is of another map or "
                               "game",
                               seen->strange, seen->agreements + seen->strange);
    if (seen->updates.wrong >= WRONG_MIN)
        return g_strdup_printf("%u entities are as baselines say that it has not: it is of another "
                               "map or game",
                               seen->updates.wrong);
    if (qwd_find_slot(seen) < 0)
        return g_strdup("nothing of the game shows which player the session is");
    return NULL;
}

char *qwd_refusal(struct qs_borrower *borrower)
{
    struct qwd_borrower *b = qwd_borrower_of(borrower);
    const struct qwd_seen *seen;
    char *refusal;

    qwd_choose_dialect(b);
    seen = b->seen[0];
    b->base.proof = seen->agreements - MIN(seen->strange, seen->agreements);
    refusal = why_not(b, seen);
    if (refusal)
        return refusal;
    b->dialect = seen->dialect;
    b->dialect.player = (uint8_t)qwd_find_slot(seen);
    b->dialect.spectator = is_spectator(b, b->dialect.player);
    say_unknown(b, seen);
    qwd_find_states(b, seen);
    return NULL;
}
