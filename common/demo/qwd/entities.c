/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/qwd/entities.h"

#include "common/core/lists.h"
#include "common/core/writer.h"
#include "common/quakeworld/constants.h"

enum {
    PLAYED_MAX = 8192, /* bytes of a packet: more ends the game in engines */
    FILLED_MAX = 8192  /* packets of a gap that replacement deltas can bridge */
};

void qwd_entities_init(struct qwd_entities *entities, struct qs_demo_writer *out,
                       struct qwd_blocks *blocks, struct filter_qw *filter)
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
    qwd_replacement_level(&entities->replacement);
    qwd_blocks_level(entities->blocks);
}

static const struct qs_message *message_at(const struct qwd_entities_packet *packet, guint index)
{
    return &g_array_index(packet->decoder->messages, struct qs_message, index);
}

static struct qs_view body_of(const struct qwd_entities_packet *packet,
                              const struct qs_message *message)
{
    return (struct qs_view){packet->content + message->offset + 1, message->length - 1};
}

bool qwd_entities_base(const struct qwd_entities_packet *packet, uint32_t *base)
{
    if (!qs_has_message(packet->decoder, SVC_DELTAPACKETENTITIES))
        return false;
    for (guint i = 0; i < packet->decoder->messages->len; i++) {
        const struct qs_message *message = message_at(packet, i);

        if (message->id != SVC_DELTAPACKETENTITIES)
            continue;
        *base = qw_delta_base(packet->decoder->sequence, body_of(packet, message).data[0]);
        return true;
    }
    return false;
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
                        ? "entities are written in full, since players would drop the update"
                        : "entities may be wrong until their next update: the capture lacks the "
                          "packet that this update counts from");
}

/* Replaces the update by the newest frame. False: engines could not read it. */
static bool write_in_full(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                          const struct qw_update *update, guint index)
{
    GByteArray *full = entities->scratch;

    qs_bytes_empty(full);
    qw_frames_append(full, &entities->frames);
    if (packet->packet->size + full->len > PLAYED_MAX) {
        entities->out->counts.missing++;
        qs_demo_problem(entities->out, packet->packet,
                        "entities are missing: they are more than players read");
        return false;
    }
    g_byte_array_append(filter_qw_replace(entities->filter, index), full->data, full->len);
    note_repair(entities, packet, update);
    return true;
}

/* Whether an engine handles the update as the client did. */
static bool plays(const struct qwd_entities *entities, const struct qw_update *update,
                  uint32_t sequence)
{
    return !update->is_delta || (update->base_known && qwd_player_accepts(&entities->blocks->player,
                                                                          sequence, update->base));
}

static struct qwd_entities_outcome
follow_update(struct qwd_entities *entities, const struct qwd_entities_packet *packet, guint index)
{
    const struct qs_message *message = message_at(packet, index);
    const uint32_t sequence = packet->decoder->sequence;
    struct qw_update update;

    qw_frames_update(&entities->frames, sequence, body_of(packet, message),
                     message->id == SVC_DELTAPACKETENTITIES, &update);
    if (plays(entities, &update, sequence) && !(entities->out->sanitize && message->is_ambiguous))
        return (struct qwd_entities_outcome){.accepted = true, .base = update.base};
    return (struct qwd_entities_outcome){.accepted =
                                             write_in_full(entities, packet, &update, index)};
}

/* --- FTE's replacement deltas --- */

/* Writes a packet in place of one that the capture lacks, with only this update, of the same time.
 */
static void add_update(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                       uint32_t sequence, struct qs_view body, struct qs_view updates)
{
    GByteArray *made = entities->scratch;

    qs_bytes_empty(made);
    qs_write_u32(made, sequence);
    qs_write_u32(made, MIN(sequence, packet->decoder->acknowledged));
    qwd_replacement_append(made, body, updates);
    qwd_blocks_packet(entities->blocks, packet->time, sequence, 0, qs_view_of_bytes(made));
    qwd_replacement_accept(&entities->replacement, sequence);
    entities->out->counts.repaired++;
}

static void add_filler(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                       struct qs_view body)
{
    add_update(entities, packet, qwd_replacement_filler(&entities->replacement), body,
               qwd_replacement_empty);
}

/* The entities in view before; begin_with_donor() reserves the number before the packet's for them.
 */
static void add_donor_updates(struct qwd_entities *entities,
                              const struct qwd_entities_packet *packet, struct qs_view body)
{
    add_update(entities, packet, packet->decoder->sequence - 1, body,
               qs_view_of_bytes(entities->donor_updates));
    qs_bytes_empty(entities->donor_updates);
}

static void reset(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                  struct qs_view body, guint index)
{
    qwd_replacement_append_reset(filter_qw_replace(entities->filter, index), body);
    entities->out->counts.repaired++;
    qs_demo_problem(entities->out, packet->packet,
                    "entities are missing until their next update: the capture lacks the packets "
                    "that this update counts from");
}

static void follow_replacement(struct qwd_entities *entities,
                               const struct qwd_entities_packet *packet, guint index)
{
    const struct qs_view body = body_of(packet, message_at(packet, index));
    const uint32_t sequence = packet->decoder->sequence;
    struct qwd_replacement *replacement = &entities->replacement;

    if (replacement->any && sequence - replacement->valid > FILLED_MAX)
        qwd_replacement_level(replacement);
    if (entities->donor_updates->len && !replacement->any && sequence > entities->last + 1)
        add_donor_updates(entities, packet, body);
    while (qwd_replacement_needs(replacement, sequence, body) == QWD_REPLACEMENT_FILLER)
        add_filler(entities, packet, body);
    if (qwd_replacement_needs(replacement, sequence, body) == QWD_REPLACEMENT_RESET)
        reset(entities, packet, body, index);
    qwd_replacement_accept(replacement, sequence);
}

/* --- All messages --- */

static void follow_message(struct qwd_entities *entities, const struct qwd_entities_packet *packet,
                           guint index, struct qwd_entities_outcome *outcome)
{
    const struct qs_message *message = message_at(packet, index);
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
            filter_qw_replace(entities->filter, index); /* the donor's sign-on already has it */
        break;
    case SVC_SPAWNBASELINE:
        qw_frames_baseline(&entities->frames, body_of(packet, message), false);
        break;
    case SVC_FTE_SPAWNBASELINE2:
        if (!(session->ext.fte2 & FTE2_REPLACEMENTDELTAS))
            qw_frames_baseline(&entities->frames, body_of(packet, message), true);
        break;
    case SVC_PACKETENTITIES:
    case SVC_DELTAPACKETENTITIES:
        *outcome = follow_update(entities, packet, index);
        break;
    case SVC_FTE_UPDATEENTITIES:
        follow_replacement(entities, packet, index);
        break;
    case SVC_DISCONNECT: /* not recorded, and an error in engines */
        filter_qw_replace(entities->filter, index);
        entities->out->counts.stripped++;
        break;
    }
}

struct qwd_entities_outcome qwd_entities_follow(struct qwd_entities *entities,
                                                const struct qwd_entities_packet *packet)
{
    struct qwd_entities_outcome outcome = {.accepted = false};

    for (guint i = 0; i < packet->decoder->messages->len; i++)
        follow_message(entities, packet, i, &outcome);
    entities->last = packet->decoder->sequence;
    return outcome;
}
