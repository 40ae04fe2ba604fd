/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's replacement deltas in a donor's sign-on. The update of an entity that comes into view is a
 * delta from its baseline (UF_RESET), every other update a delta from the previous message. So the
 * donor keeps the last UF_RESET update of each entity as a base for later deltas. Source:
 * common/fte/PROTOCOL.md, section 3.
 */
#include "common/demo/qwd/late_join.h"

#include "common/core/writer.h"
#include "common/core/findings.h"
#include "common/fte/constants.h"
#include "common/fte/fte.h"
#include "common/quakeworld/constants.h"

enum {
    HEAD = 5,         /* bytes before a kept update: id and time */
    SAYS_NOTHING = 4, /* bytes of an update with no more than UF_RESET */
    OF_FIVE = 4,      /* fifths of a level in view: permanent */
    LENT_MAX = 8000   /* bytes: engines read at most 8,192 of a packet */
};

/* Kind of an entity's first update. */
enum first { NOTHING, FROM_BASELINE, CHANGE, REMOVAL };

/* --- Donors --- */

static uint32_t about(uint32_t number)
{
    return qs_sign_on_about(SVC_FTE_UPDATEENTITIES, (uint16_t)number);
}

static void keep(struct qs_sign_on *sign_on, struct qs_view message,
                 const struct qs_entity_update *update)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_view(bytes, (struct qs_view){message.data, HEAD});
    qs_write_view(bytes, update->bytes);
    qs_write_u16(bytes, 0);
    qs_sign_on_replace(sign_on, about(update->number), qs_view_of_bytes(bytes));
    g_byte_array_free(bytes, TRUE);
}

static void leave(struct qwd_presence *presence, uint32_t number)
{
    if (presence->since[number])
        presence->sum[number] += presence->updates - presence->since[number];
    presence->since[number] = 0;
}

static void note_presence(struct qwd_presence *presence, const struct qs_entity_update *update)
{
    if (update->removes && !update->number) {
        for (uint32_t i = 0; i < QW_STATES_MAX; i++)
            leave(presence, i);
    } else if (update->number >= QW_STATES_MAX) {
        return;
    } else if (update->removes) {
        leave(presence, update->number);
    } else if (!presence->since[update->number]) {
        presence->since[update->number] = presence->updates;
    }
}

void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_presence **presence,
                      const struct qs_decoder *decoder, guint index, struct qs_view message)
{
    if (!*presence)
        *presence = g_new0(struct qwd_presence, 1);
    (*presence)->updates++;
    for (guint i = 0; i < decoder->entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->entities, struct qs_entity_update, i);

        if (update->message != index)
            continue;
        note_presence(*presence, update);
        if (update->bits & UF_RESET && update->number < QW_STATES_MAX)
            keep(sign_on, message, update);
    }
}

/* Whether the donor nearly always had it in view. */
static bool was_always_there(const struct qwd_presence *presence, uint32_t number)
{
    uint32_t sum;

    if (!presence || number <= QWD_PLAYERS_MAX)
        return false;
    sum = presence->sum[number];
    if (presence->since[number])
        sum += presence->updates - presence->since[number] + 1;
    return sum && (uint64_t)sum * 5 >= (uint64_t)presence->updates * OF_FIVE;
}

bool qwd_updates_is_kept(const struct fte_session *agreed, uint8_t id)
{
    return id == SVC_FTE_UPDATEENTITIES && agreed->fte2 & FTE2_REPLACEMENTDELTAS;
}

/* The donor's kept update of the entity, from its number on; data NULL: none. */
static struct qs_view kept(const struct qs_sign_on *donor, uint32_t number)
{
    struct qs_view bytes = qs_sign_on_find(donor, about(number));

    if (!bytes.data)
        return bytes;
    return (struct qs_view){bytes.data + HEAD, bytes.size - HEAD - 2};
}

/* --- The late session --- */

void qwd_updates_init(struct qwd_updates *updates, const struct qs_sign_on *donor)
{
    for (guint i = 0; i < qs_sign_on_count(donor); i++) {
        const struct qs_view message = qs_sign_on_at(donor, i).bytes;
        struct qs_reader in = qs_reader_over(message.data, message.size);

        if (qs_reader_u8(&in) == SVC_FTE_SPAWNBASELINE2)
            qwd_numbers_set(&updates->baselines, qs_reader_u16(&in), true);
    }
}

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

/* An entity that comes into view with its baseline's state must have a baseline. */
static void judge(const struct qwd_updates *updates, struct qs_donor_match *match,
                  const struct qs_entity_update *update)
{
    const struct qs_view own = update->bytes, donors = kept(match->sign_on, update->number);

    if (own.size != SAYS_NOTHING)
        match->evidence[QS_EVIDENCE_ITEMS].agree += update->number > QWD_PLAYERS_MAX &&
                                                    own.size == donors.size &&
                                                    !memcmp(own.data, donors.data, own.size);
    else if (!qwd_numbers_has(&updates->baselines, update->number))
        qs_donor_match_note(match, QS_EVIDENCE_BASELINES, false);
}

static void see_update(struct qwd_updates *updates, struct qs_donor_match *match,
                       const struct qs_entity_update *update)
{
    const bool from_baseline = update->bits & UF_RESET;
    uint8_t *first;

    if (update->number >= QW_STATES_MAX)
        return;
    first = &updates->firsts[update->number];
    if (from_baseline)
        judge(updates, match, update);
    if (*first == NOTHING)
        *first = update->removes ? REMOVAL : from_baseline ? FROM_BASELINE : CHANGE;
}

void qwd_updates_observe(struct qwd_updates *updates, struct qs_donor_match *match,
                         struct qwd_players *players, const struct qs_decoder *decoder)
{
    updates->any |= qs_has_message(decoder, SVC_FTE_UPDATEENTITIES);
    for (guint i = 0; i < decoder->entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->entities, struct qs_entity_update, i);

        see_player(players, update);
        see_update(updates, match, update);
    }
}

/* --- Entities in view --- */

/* In its baseline's state. */
static void append_baseline(GByteArray *out, uint32_t number)
{
    qs_write_u16(out, (uint16_t)number);
    qs_write_u16(out, UF_RESET | UF_EXTEND1);
}

static bool was_in_view(const struct qwd_updates *updates, const struct qwd_presence *presence,
                        uint32_t number)
{
    const enum first first = (enum first)updates->firsts[number];

    if (first == NOTHING)
        return was_always_there(presence, number) && qwd_numbers_has(&updates->baselines, number);
    return first == CHANGE || first == REMOVAL;
}

void qwd_updates_append(GByteArray *out, const struct qwd_updates *updates,
                        const struct qs_sign_on *donor, const struct qwd_presence *presence)
{
    const guint start = out->len;

    qs_write_u16(out, UPDATE_REMOVE);
    for (uint32_t i = 1; i < QW_STATES_MAX; i++) {
        const struct qs_view known = kept(donor, i);

        if (!was_in_view(updates, presence, i))
            continue;
        if (out->len - start + known.size > LENT_MAX)
            break;
        if (known.data)
            qs_write_view(out, known);
        else
            append_baseline(out, i);
    }
    qs_write_u16(out, 0);
}
