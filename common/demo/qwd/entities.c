/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entities in QWD demos: of late joins with FTE's replacement deltas (late_join.h), and of all
 * demos that are rebuilt (blocks.h).
 */
#include "common/core/containers.h"
#include "common/core/findings.h"
#include "common/core/writer.h"
#include "common/demo/qwd/blocks.h"
#include "common/demo/qwd/late_join.h"
#include "common/fte/constants.h"
#include "common/quakeworld/constants.h"

/*
 * --- Late joins: FTE's replacement deltas in a donor's sign-on. The update of an entity that comes
 * into view is a delta from its baseline (UF_RESET), every other update a delta from the previous
 * message. So the donor keeps the last UF_RESET update of each entity as a base for later deltas.
 * Source: common/fte/PROTOCOL.md, section 3.
 */

enum {
    SAYS_NOTHING = 4,  /* size of an update with UF_RESET only (bytes) */
    DONATED_MAX = 8000 /* maximum size (bytes): engines read at most 8,192 of a packet */
};

/* The kind of an entity's first update in the late session. */
enum first_update { NOTHING, FROM_BASELINE, CHANGE, REMOVAL };

/* --- Donors --- */

void qwd_updates_keep(struct qs_sign_on *sign_on, struct qwd_view *view,
                      const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->found.entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->found.entities, struct qs_entity_update, i);

        if (update->kind != QS_ENTITY_REPLACEMENT)
            continue;
        if (update->removes && !update->number)
            view->now = (struct qs_numbers){0};
        else
            qs_numbers_set(&view->now, update->number, !update->removes);
        if (update->bits & UF_RESET && update->number < QW_STATES_MAX)
            qs_sign_on_set_state(sign_on, update->number, update->bytes);
    }
    if (!qs_has_message(decoder, SVC_FTE_UPDATEENTITIES))
        return;
    if (qs_sights_is_due(&view->sights, view->updates))
        qs_sights_add(&view->sights, view->updates, view->origin)->in_view = view->now;
    view->updates++;
}

/* --- Observing the late session --- */

/*
 * Notes a player in view. A server sends players' movement, but omits from the client's own player
 * what the client already knows: fteqw sv_ents.c, SV_Snapshot_BuildStateQ1.
 */
static void observe_player(struct qwd_players *players, const struct qs_entity_update *update)
{
    const uint32_t player = update->number - 1;

    if (player < QWD_PLAYERS_MAX && update->bits & UF_PREDINFO)
        qwd_players_observe(players, player,
                            update->predbits & (UFP_FORWARD | UFP_SIDE | UFP_UP | UFP_MSEC));
}

static void observe_update(struct qwd_match *m, const struct qs_entity_update *update)
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
        observe_player(&m->players, update);
        observe_update(m, update);
    }
}

/* --- Entities in view --- */

static bool was_in_view(const struct qwd_match *m, const struct qs_numbers *common, uint32_t number)
{
    const enum first_update first = (enum first_update)m->replaced[number];

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
        if (known.data) {
            qs_write_view(out, known);
        } else { /* in its baseline's state */
            qs_write_u16(out, (uint16_t)i);
            qs_write_u16(out, UF_RESET | UF_EXTEND1);
        }
    }
    qs_write_u16(out, 0);
    return true;
}

enum {
    PLAYED_MAX = 8192, /* maximum size of a packet (bytes): a larger one ends the game in engines */
    FILLED_MAX = 8192  /* maximum gap that replacement deltas can bridge (packets) */
};

void qwd_entities_init(struct qwd_entities *entities, struct qs_demo_writer *out,
                       struct qwd_blocks *blocks, struct qw_filter *filter)
{
    *entities = (struct qwd_entities){.out = out,
                                      .blocks = blocks,
                                      .filter = filter,
                                      .donor_updates = g_byte_array_new(),
                                      .scratch = g_byte_array_new()};
    qw_frames_init(&entities->frames);
}

void qwd_entities_clear(struct qwd_entities *entities)
{
    qw_frames_clear(&entities->frames);
    g_byte_array_free(entities->donor_updates, TRUE);
    g_byte_array_free(entities->scratch, TRUE);
}

void qwd_entities_level(struct qwd_entities *entities, const struct qw_session *session)
{
    entities->donor_until = entities->last = 0;
    qs_bytes_empty(entities->donor_updates);
    qw_frames_level(&entities->frames);
    entities->frames.format = qw_delta_format(&session->ext);
    entities->replaced = 0;
    qwd_blocks_level(entities->blocks);
}

static struct qs_view body_of(const struct qs_message *message)
{
    return (struct qs_view){message->bytes + 1, message->length - 1};
}

uint32_t qwd_entities_base(const struct qwd_entities_packet *packet)
{
    const struct qs_decoder *decoder = packet->decoder;

    for (guint i = 0;
         qs_has_message(decoder, SVC_DELTAPACKETENTITIES) && i < decoder->found.messages->len; i++)
        if (qs_message_at(decoder, i)->id == SVC_DELTAPACKETENTITIES)
            return qw_delta_base(decoder->found.sequence,
                                 body_of(qs_message_at(decoder, i)).data[0]);
    return decoder->found.sequence;
}

/* --- Deltas from a packet --- */

static void note_repair(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                        const struct qw_update *update)
{
    entities->out->counts.repaired++;
    if (update->base_known && update->base <= entities->donor_until)
        return; /* the donor's states cover it */
    qs_demo_problem(entities->out, packet->packet, "%s",
                    update->base_known
                        ? "an update is written in full, since engines would drop the delta"
                        : "an update is a delta from a packet that the capture lacks: entities may "
                          "be wrong until their next update");
}

/* Replaces the update by the newest frame. Returns false if the packet becomes too large. */
static bool write_in_full(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                          const struct qw_update *update, guint index)
{
    GByteArray *full = entities->scratch;
    const struct qw_session *session = (const struct qw_session *)packet->decoder->session;
    const uint32_t replaced = qs_message_at(packet->decoder, index)->length;

    qs_bytes_empty(full);
    qw_frames_append(full, &entities->frames);
    if (session->content.size + full->len > PLAYED_MAX + replaced) {
        entities->out->counts.missing++;
        qs_demo_problem(
            entities->out, packet->packet,
            "entities are missing: the packet would exceed the 8192 bytes that engines read");
        return false;
    }
    g_byte_array_append(qw_filter_replace(entities->filter, index), full->data, full->len);
    note_repair(entities, packet, update);
    return true;
}

/* True if an engine handles the update as the client did. */
static bool plays(const struct qwd_entities *entities, const struct qw_update *update,
                  uint32_t sequence)
{
    return !update->is_delta || (update->base_known && qwd_engine_accepts(&entities->blocks->engine,
                                                                          sequence, update->base));
}

static bool follow_update(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                          guint index)
{
    const struct qs_message *message = qs_message_at(packet->decoder, index);
    const uint32_t sequence = packet->decoder->found.sequence;
    struct qw_update update;

    qw_frames_update(&entities->frames, sequence, body_of(message),
                     message->id == SVC_DELTAPACKETENTITIES, &update);
    return plays(entities, &update, sequence) || write_in_full(entities, packet, &update, index);
}

/*
 * --- FTE's replacement deltas: an update is a delta from the last one that the engine accepted.
 * The engine drops it if the level has no accepted update, or if that is at least 63 packets back,
 * unless the update begins with the reset, which removes all entities: common/fte/PROTOCOL.md,
 * section 3; fteqw cl_ents.c, CLFTE_ParseEntities.
 */

enum {
    TOO_OLD = 63,  /* packets: UPDATE_BACKUP - 1 */
    TIME_SIZE = 4, /* size of the server's time, before the updates (bytes) */
    RESET = UPDATE_REMOVE
};

/* Appends a message with the time of `body` and other updates. */
static void append_updates(GByteArray *to, struct qs_view body, struct qs_view updates)
{
    qs_write_u8(to, SVC_FTE_UPDATEENTITIES);
    qs_write_view(to, (struct qs_view){body.data, TIME_SIZE});
    qs_write_view(to, updates);
}

/* Writes a packet with only these updates, in place of one that the capture lacks. */
static void add_updates(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                        uint32_t sequence, struct qs_view body, struct qs_view updates)
{
    GByteArray *made = entities->scratch;

    qs_bytes_empty(made);
    qs_write_u32(made, sequence);
    qs_write_u32(made, MIN(sequence, packet->decoder->found.acknowledged));
    append_updates(made, body, updates);
    qwd_blocks_packet(entities->blocks, packet->time, sequence, qs_view_of_bytes(made));
    entities->replaced = sequence;
    entities->out->counts.repaired++;
}

/* Puts the reset before the updates, because engines would drop them otherwise. */
static void reset(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                  struct qs_view body, guint index)
{
    GByteArray *updates = entities->scratch;

    qs_bytes_empty(updates);
    qs_write_u16(updates, RESET);
    qs_write_view(updates, (struct qs_view){body.data + TIME_SIZE, body.size - TIME_SIZE});
    append_updates(qw_filter_replace(entities->filter, index), body, qs_view_of_bytes(updates));
    entities->out->counts.repaired++;
    qs_demo_problem(entities->out, packet->packet,
                    "an update is a delta from packets that the capture lacks: entities are "
                    "missing until their next update");
}

static void follow_replacement(struct qwd_entities *entities,
                               const struct qwd_entities_packet *packet, guint index)
{
    static const uint8_t end[2];
    const struct qs_view body = body_of(qs_message_at(packet->decoder, index));
    const struct qs_view donors = qs_view_of_bytes(entities->donor_updates);
    const uint32_t sequence = packet->decoder->found.sequence;
    /* Servers write the reset first. */
    const bool needs_others = body.size >= TIME_SIZE && !(body.size >= TIME_SIZE + 2 &&
                                                          qs_le16(body.data + TIME_SIZE) == RESET);

    if (sequence - entities->replaced > FILLED_MAX)
        entities->replaced = 0;
    /* Adds the entities that were in view before. begin_with_donor() reserves the number before the
     * packet's for them. */
    if (donors.size && !entities->replaced && sequence > entities->last + 1) {
        add_updates(entities, packet, sequence - 1, body, donors);
        qs_bytes_empty(entities->donor_updates);
    }
    while (needs_others && entities->replaced && sequence - entities->replaced >= TOO_OLD)
        add_updates(entities, packet, entities->replaced + TOO_OLD - 1, body,
                    (struct qs_view){end, sizeof end});
    if (needs_others && !entities->replaced)
        reset(entities, packet, body, index);
    entities->replaced = sequence;
}

/* --- All messages --- */

static void follow_message(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                           guint index, bool *accepted)
{
    const struct qs_message *message = qs_message_at(packet->decoder, index);
    const struct qw_session *session = (const struct qw_session *)packet->decoder->session;

    switch (message->id) {
    case SVC_SERVERDATA:
        qwd_entities_level(entities, session);
        break;
    case SVC_SOUNDLIST:
    case SVC_FTE_SOUNDLISTSHORT:
    case SVC_MODELLIST:
    case SVC_FTE_MODELLISTSHORT:
    case SVC_SPAWNSTATIC:
    case SVC_FTE_SPAWNSTATIC2:
    case SVC_SPAWNSTATICSOUND:
        if (session->base.level == entities->donor_level)
            qw_filter_replace(entities->filter, index); /* the donor's sign-on already has it */
        break;
    case SVC_SPAWNBASELINE:
        qw_frames_baseline(&entities->frames, body_of(message), false);
        break;
    case SVC_FTE_SPAWNBASELINE2:
        if (!(session->ext.fte2 & FTE2_REPLACEMENTDELTAS))
            qw_frames_baseline(&entities->frames, body_of(message), true);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        *accepted = follow_update(entities, packet, index);
        break;
    case SVC_FTE_UPDATEENTITIES:
        follow_replacement(entities, packet, index);
        break;
    case SVC_DISCONNECT: /* not in recordings, and an error in engines */
        qw_filter_replace(entities->filter, index);
        entities->out->counts.stripped++;
        break;
    }
}

bool qwd_entities_follow(struct qwd_entities *entities, const struct qwd_entities_packet *packet)
{
    bool accepted = false;

    for (guint i = 0; i < packet->decoder->found.messages->len; i++)
        follow_message(entities, packet, i, &accepted);
    entities->last = packet->decoder->found.sequence;
    return accepted;
}
