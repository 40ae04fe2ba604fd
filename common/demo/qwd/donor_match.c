/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a sign-on fits a QuakeWorld session that began late, and which player that is. Source:
 * common/quakeworld/PROTOCOL.md, section 9.
 */
#include "common/core/infostring.h"
#include "common/demo/qwd/late_join.h"

enum {
    UNREADABLE_MAX = 3, /* of a hundred packets */
    WRONG_MIN = 3,
    WRONG_MAX = 3, /* of a hundred entities that come into view */
    STRANGE_MIN = 5
};

/* --- The verdict --- */

static bool is_spectator(const struct qwd_match *m, uint8_t player)
{
    return qs_info_value(qs_view_of(qs_table_get(&m->donor.userinfo, player)), "*spectator").size;
}

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

static void say_unknown(struct qwd_match *m, const struct qwd_observation *observed)
{
    g_string_append(m->base.unknown, "the player's statistics, until they change");
    if (m->kind == QS_DONOR_OTHER)
        g_string_append(m->base.unknown, "; the names and frags of players, until they change");
    if (observed->bases->len || observed->updates.any)
        g_string_append(m->base.unknown, "; what was in view and is never mentioned");
}

static char *why_not(const struct qwd_match *m, const struct qwd_observation *observed)
{
    const char *untranslatable = qwd_untranslatable(&m->theirs, &observed->variant);

    if (m->version != m->donor.base.version)
        return g_strdup_printf("its protocol is %d, that of the session %d", m->donor.base.version,
                               m->version);
    if (!observed->packets)
        return g_strdup("nothing of the game is seen");
    if (is_more_than(observed->unreadable, observed->packets, UNREADABLE_MAX))
        return g_strdup_printf("with it, %u of %u packets of the session cannot be read",
                               observed->unreadable, observed->packets);
    if (untranslatable)
        return g_strdup(untranslatable);
    if (observed->wrong_models)
        return g_strdup("models of the session are others, or none, in its list");
    if (observed->wrong >= WRONG_MIN &&
        is_more_than(observed->wrong, observed->agreements + observed->wrong, WRONG_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or game",
                               observed->wrong, observed->agreements + observed->wrong);
    if (observed->strange >= STRANGE_MIN && observed->strange > observed->agreements)
        return g_strdup_printf("%u of %u entities are not as it has them: it is of another map or "
                               "game",
                               observed->strange, observed->agreements + observed->strange);
    if (observed->updates.wrong >= WRONG_MIN)
        return g_strdup_printf("%u entities are as baselines say that it has not: it is of another "
                               "map or game",
                               observed->updates.wrong);
    if (qwd_find_slot(observed) < 0)
        return g_strdup("nothing of the game shows which player the session is");
    return NULL;
}

char *qwd_judge(struct qs_donor_match *match)
{
    struct qwd_match *m = qwd_match_of(match);
    const struct qwd_observation *observed;
    char *refusal;

    qwd_choose_variant(m);
    observed = m->observed[0];
    m->base.proof = observed->agreements - MIN(observed->strange, observed->agreements);
    refusal = why_not(m, observed);
    if (refusal)
        return refusal;
    m->variant = observed->variant;
    m->variant.player = (uint8_t)qwd_find_slot(observed);
    m->variant.spectator = is_spectator(m, m->variant.player);
    say_unknown(m, observed);
    qwd_find_states(m, observed);
    return NULL;
}
