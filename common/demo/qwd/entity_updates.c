/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas in a donor's sign-on. The update of an entity that comes into view is a
 * delta from its baseline (UF_RESET), every other update a delta from the previous message. So the
 * donor keeps the last UF_RESET update of each entity as a base for later deltas. Source:
 * common/fte/PROTOCOL.md, section 3.
 */
#include "common/core/findings.h"
#include "common/core/writer.h"
#include "common/demo/qwd/late_join.h"
#include "common/quakeworld/constants.h"

enum {
    SAYS_NOTHING = 4,  /* bytes of an update with no more than UF_RESET */
    DONATED_MAX = 8000 /* bytes: engines read at most 8,192 of a packet */
};

/* Kind of an entity's first update. */
enum first { NOTHING, FROM_BASELINE, CHANGE, REMOVAL };

/* --- Donors --- */

static void note_in_view(struct qwd_view *view, const struct qs_entity_update *update)
{
    if (update->removes && !update->number)
        view->now = (struct qs_numbers){0};
    else
        qs_numbers_set(&view->now, update->number, !update->removes);
}

void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_view *view,
                      const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->found.entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->found.entities, struct qs_entity_update, i);

        if (update->kind != QS_ENTITY_REPLACEMENT)
            continue;
        note_in_view(view, update);
        if (update->bits & UF_RESET && update->number < QW_STATES_MAX)
            qs_sign_on_set_state(sign_on, update->number, update->bytes);
    }
    if (!qs_has_message(decoder, SVC_FTE_UPDATEENTITIES))
        return;
    if (qs_sights_is_due(&view->sights, view->updates))
        qs_sights_add(&view->sights, view->updates, view->origin)->in_view = view->now;
    view->updates++;
}

/* --- The late session --- */

/*
 * A server sends a player's movement; for the client's own player it omits what the client already
 * knows: fteqw sv_ents.c, SV_Snapshot_BuildStateQ1.
 */
static void see_player(struct qwd_players *players, const struct qs_entity_update *update)
{
    const uint32_t player = update->number - 1;

    if (player < QWD_PLAYERS_MAX && update->bits & UF_PREDINFO)
        qwd_players_see(players, player,
                        update->predbits & (UFP_FORWARD | UFP_SIDE | UFP_UP | UFP_MSEC));
}

static void see_update(struct qwd_match *m, const struct qs_entity_update *update)
{
    const bool from_baseline = update->bits & UF_RESET;
    uint8_t *first;

    if (update->number >= QW_STATES_MAX)
        return;
    first = &m->replaced[update->number];
    if (from_baseline && update->bytes.size == SAYS_NOTHING &&
        !qs_numbers_has(&m->baseline_numbers, update->number))
        qs_donor_match_contradict(
            &m->base, "entity %u has no baseline: it is of another map or game", update->number);
    if (*first == NOTHING)
        *first = update->removes ? REMOVAL : from_baseline ? FROM_BASELINE : CHANGE;
}

void qwd_updates_observe(struct qwd_match *m, const struct qs_decoder *decoder)
{
    m->replaces |= qs_has_message(decoder, SVC_FTE_UPDATEENTITIES);
    for (guint i = 0; i < decoder->found.entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->found.entities, struct qs_entity_update, i);

        if (update->kind != QS_ENTITY_REPLACEMENT)
            continue;
        see_player(&m->players, update);
        see_update(m, update);
    }
}

/* --- Entities in view --- */

/* In its baseline's state. */
static void append_baseline(GByteArray *out, uint32_t number)
{
    qs_write_u16(out, (uint16_t)number);
    qs_write_u16(out, UF_RESET | UF_EXTEND1);
}

static bool was_in_view(const struct qwd_match *m, const struct qs_numbers *common, uint32_t number)
{
    const enum first first = (enum first)m->replaced[number];

    if (first == NOTHING)
        return number > QWD_PLAYERS_MAX && qs_numbers_has(&m->baseline_numbers, number) &&
               qs_numbers_has(common, number);
    return first == CHANGE || first == REMOVAL;
}

bool qwd_match_updates(const struct qs_donor_match *match, GByteArray *out)
{
    const struct qwd_match *m = (const struct qwd_match *)match;
    const struct qs_numbers common =
        qs_sights_common(&qwd_view_of(match->sign_on)->sights, &m->sights, m->player);
    const guint start = out->len;

    if (!m->replaces)
        return false;
    qs_write_u16(out, UPDATE_REMOVE);
    for (uint32_t i = 1; i < QW_STATES_MAX; i++) {
        const struct qs_view known = qs_sign_on_state(match->sign_on, i);

        if (!was_in_view(m, &common, i))
            continue;
        if (out->len - start + known.size > DONATED_MAX)
            break;
        if (known.data)
            qs_write_view(out, known);
        else
            append_baseline(out, i);
    }
    qs_write_u16(out, 0);
    return true;
}
