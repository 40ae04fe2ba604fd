/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds DM2 demos: the preamble that a client would have written, then every packet that the
 * client accepted from the server as a block, from the first full frame of a level on. Each level
 * becomes a file, because engines stop at a second one. Source: common/quake2/PROTOCOL.md.
 *
 * A frame is a delta from one that the client has. If the demo lacks that one, the rebuilder
 * encodes the frame again, from the tracker's states, as a delta from the demo's last frame.
 */
#include "common/core/containers.h"
#include "common/core/text.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/session.h"
#include "common/quake2/decode.h"
#include "common/quake2/encode.h"
#include "common/demo/sanitize/sanitize.h"

enum {
    HEADER_SIZE = 8,   /* yquake2 sends itself a demo's blocks as packets with a header */
    FRAME_MESSAGES = 3 /* svc_frame, svc_playerinfo, svc_packetentities */
};

/* Commands that belong to the connection. An engine that executed them would leave the demo, or
 * answer a server that does not exist. */
static const char *const connection_commands[] = {"cmd", "precache", "changing", "reconnect", NULL};

struct dm2 {
    struct qs_demo_writer *out;
    struct q2_tracker *tracker;
    uint32_t level;           /* number of the current level */
    bool begun;               /* the file of the level has begun */
    bool ended;               /* the connection has ended */
    bool framed;              /* a frame was seen */
    uint32_t donor_level;     /* number of the level with a donor's sign-on; 0 if none */
    bool lossy;               /* a frame of the level was guessed */
    struct qs_packet loss;    /* packet of that frame, for its number and time */
    uint8_t gunframe;         /* gunframe of the latest frame */
    bool dead;                /* the player was dead in the latest frame */
    int16_t layouts;          /* STAT_LAYOUTS of the latest guess */
    bool layouts_unknown;     /* neither STAT_LAYOUTS changed nor svc_layout came since the loss */
    int32_t layout_frame;     /* number of the last frame with svc_layout, or of the loss */
    bool incomplete;          /* a level that cannot be shown was reported */
    char *unfounded;          /* name of a level that no frame so far can begin; or NULL */
    bool refused;             /* a protocol that is not rebuilt was reported */
    struct dm2_backup backup; /* frames of the demo */
    struct dm2_converter converter; /* for protocols 35 and 36 */
    struct qs_stufftext stufftext;
    struct q2_variant variant; /* variant of the demo */
    bool passed_over;          /* the demo omits the current packet's frame */
    const GArray *messages;    /* struct qs_message, of the current packet; or NULL */
    GByteArray *block;         /* current block, with space for its length */
    GByteArray *unit;          /* scratch buffer for bytes that must stay in one block */
};

static void *dm2_new(struct qs_demo_writer *out)
{
    struct dm2 *dm2 = g_new0(struct dm2, 1);

    dm2->out = out;
    dm2->tracker = q2_tracker_new();
    dm2_converter_init(&dm2->converter);
    qs_stufftext_init(&dm2->stufftext, out, SVC_STUFFTEXT, NULL, connection_commands);
    dm2->block = dm2_block_new();
    dm2->unit = g_byte_array_new();
    return dm2;
}

static void dm2_free(void *state)
{
    struct dm2 *dm2 = state;

    q2_tracker_free(dm2->tracker);
    dm2_converter_clear(&dm2->converter);
    qs_stufftext_clear(&dm2->stufftext);
    g_free(dm2->unfounded);
    g_byte_array_free(dm2->block, TRUE);
    g_byte_array_free(dm2->unit, TRUE);
    g_free(dm2);
}

/* --- Blocks --- */

/* Implements dm2_preamble_block. */
static void write_block(void *user, const GByteArray *block)
{
    struct dm2 *dm2 = user;

    qs_demo_write(dm2->out, qs_view_of_bytes(block));
    dm2->out->counts.blocks++;
}

/* Writes the block unless it is empty: engines would wait a tenth of a second for nothing. */
static void flush_block(struct dm2 *dm2)
{
    if (dm2->block->len == DM2_HEADER)
        return;
    dm2_end_block(dm2->block);
    write_block(dm2, dm2->block);
    dm2->block->len = DM2_HEADER;
}

/* Adds bytes that must stay in one block. Returns false if they are too long for any block. */
static bool add_unit(struct dm2 *dm2, struct qs_view unit)
{
    const uint32_t most =
        dm2->variant.extensions ? DM2_EXTENDED_BLOCK_MAX : DM2_BLOCK_MAX - HEADER_SIZE;

    if (unit.size > most)
        return false;
    if (dm2->block->len - DM2_HEADER + unit.size > most)
        flush_block(dm2);
    g_byte_array_append(dm2->block, unit.data, unit.size);
    return true;
}

/* --- Levels --- */

static void end_level(struct dm2 *dm2)
{
    if (dm2->begun) {
        qs_bytes_empty(dm2->unit);
        dm2_append_end(dm2->unit, (struct qs_view){0});
        qs_demo_write(dm2->out, qs_view_of_bytes(dm2->unit));
        if (dm2->layouts_unknown && dm2->layouts & LAYOUT_SHOWN)
            qs_demo_problem(dm2->out, &dm2->loss,
                            "the score board may stay on the screen from then on");
    } else if (dm2->unfounded && !dm2->incomplete) {
        qs_demo_problem(dm2->out, NULL,
                        "%s cannot be shown: its first frame was not captured, and all others are "
                        "changes to it",
                        dm2->unfounded);
    }
    g_clear_pointer(&dm2->unfounded, g_free);
    dm2->begun = dm2->incomplete = dm2->lossy = dm2->layouts_unknown = false;
    dm2->backup = (struct dm2_backup){0};
    dm2_converter_level(&dm2->converter);
    dm2->block->len = DM2_HEADER;
}

/*
 * Returns the protocol in which a client records. Q2PRO's client writes 3436 whatever the limits
 * are; but with those of version 1 positions have 16 bits, also in messages that are copied
 * unchanged, and a demo of version 3436 would not play (PROTOCOL.md, section 13).
 */
static int32_t demo_version(const struct q2_session *session)
{
    if (!session->variant.packed)
        return session->base.version;
    if (session->variant.extensions2)
        return Q2_PROTOCOL_EXTENDED_LAST;
    return session->variant.extensions ? Q2_PROTOCOL_EXTENDED : Q2_PROTOCOL_VANILLA;
}

static void begin_level(struct dm2 *dm2, const struct q2_session *session)
{
    const int32_t version = demo_version(session);

    qs_demo_begin(dm2->out);
    dm2->variant = q2_demo_variant(version);
    dm2_write_preamble(session, version, write_block, dm2);
    dm2->begun = true;
}

static const struct qs_message *message_at(const struct dm2 *dm2, guint index)
{
    if (!dm2->messages || index >= dm2->messages->len)
        return NULL;
    return &g_array_index(dm2->messages, struct qs_message, index);
}

/* Usefulness of a packet's best frame to begin a demo. */
enum frame_use {
    NO_FRAME,
    UNKNOWN_FRAME,
    KNOWN_FRAME, /* the tracker can rebuild it */
    FULL_FRAME   /* a full frame, no delta */
};

static enum frame_use find_frame(const struct dm2 *dm2)
{
    const struct qs_message *message;
    enum frame_use best = NO_FRAME;
    guint frames = 0;

    for (guint i = 0; (message = message_at(dm2, i)); i++) {
        const struct q2_frame *frame;

        if (message->id != SVC_FRAME)
            continue;
        frame = q2_tracker_frame(dm2->tracker, q2_tracker_begun(dm2->tracker, frames++));
        best = MAX(best, !frame ? UNKNOWN_FRAME : frame->delta > 0 ? KNOWN_FRAME : FULL_FRAME);
    }
    return best;
}

/* Reports once that the level cannot be shown without a donor. */
static void note_level_lost(struct dm2 *dm2, const struct q2_session *session)
{
    if (!dm2->incomplete)
        qs_demo_level_lost(dm2->out, qs_map_of(&q2_protocol, &session->base), &session->base.lost);
    dm2->incomplete = true;
}

/* True if the sign-on is complete. Engines stop without the first model, the map ("no map set"),
 * and show wrong things without other strings or baselines. */
static bool has_sign_on(const struct q2_session *session)
{
    return !session->base.lost.packet && q2_configstring(session, Q2_RANGE_MODELS, 1);
}

/*
 * Returns why no demo can be made of the session; NULL if one can. Messages of q2repro's protocol
 * have coordinates as floats and the rerelease's config strings, which no other demo holds. Its own
 * demos have frames as its client saw them, and only q2repro plays them. The others are captures
 * that were made of demos, whose frames and messages a recording client does not receive.
 */
static const char *why_not_rebuilt(const struct q2_session *session)
{
    if (session->undecodable)
        return "is not decoded";
    if (session->variant.rerelease)
        return "is not rebuilt: only the rerelease's own demos hold it";
    if (session->variant.relay || session->variant.server_record)
        return "is not rebuilt: its messages are those of a recording by a server or a relay";
    return session->variant.q2repro ? "is not rebuilt: no demos but q2repro's own hold its floats"
                                    : NULL;
}

/* Returns true if a demo can be made of the session; otherwise reports why not. */
static bool accept_protocol(struct dm2 *dm2, const struct q2_session *session,
                            const struct qs_packet *packet)
{
    const char *why = why_not_rebuilt(session);
    char *version;

    if (why && !dm2->refused) {
        version = q2_version_text(session);
        qs_demo_problem(dm2->out, packet, "protocol %s %s", version, why);
        g_free(version);
    }
    dm2->refused = why != NULL;
    return !why;
}

/* Counts a frame that cannot begin the level; end_level() reports it if no full frame follows. */
static void miss_beginning(struct dm2 *dm2, const struct q2_session *session)
{
    char *map;

    dm2->out->counts.missing++;
    if (session->base.lost.packet) {
        note_level_lost(dm2, session);
    } else if (!dm2->unfounded && q2_tracker_lacks_first(dm2->tracker)) {
        map = qs_map_of(&q2_protocol, &session->base);
        dm2->unfounded = map ? g_strdup_printf("level %s", map) : g_strdup("a level");
        g_free(map);
    }
}

/* Begins the level's demo with a full frame, or after a donor's sign-on with a rebuilt one. */
static void open_level(struct dm2 *dm2, const struct q2_session *session, enum frame_use frame)
{
    const bool has_donor = session->base.level == dm2->donor_level;
    const bool founded = frame >= (has_donor ? KNOWN_FRAME : FULL_FRAME);

    dm2->framed = true;
    if (!session->base.level) {
        qs_demo_start_missing(dm2->out, NULL);
    } else if (founded && has_sign_on(session)) {
        begin_level(dm2, session);
    } else {
        if (founded)
            note_level_lost(dm2, session);
        miss_beginning(dm2, session);
    }
}

/* Ends and begins the demos of levels. Returns true if the packet's messages belong to a demo. */
static bool follow_level(struct dm2 *dm2, const struct q2_session *session)
{
    enum frame_use frame;

    if (session->base.level != dm2->level)
        end_level(dm2);
    dm2->level = session->base.level;
    /* The demo began before the client's acknowledgements showed the loss. */
    if (dm2->begun && session->base.lost.packet) {
        qs_demo_discard(dm2->out);
        note_level_lost(dm2, session);
        dm2->begun = false;
    }
    frame = dm2->begun ? NO_FRAME : find_frame(dm2);
    if (frame != NO_FRAME)
        open_level(dm2, session, frame);
    return dm2->begun;
}

/* --- Frames --- */

/* Encodes the frame as a delta from the demo's last frame, or in full if that is too far back. */
static struct qs_view encode_frame(struct dm2 *dm2, const struct q2_session *session,
                                   const struct q2_frame *last, const struct q2_frame *frame)
{
    const struct q2_frame_style style = {
        .baselines = session, .max_clients = session->level.max_clients, .variant = dm2->variant};
    const int64_t back = (int64_t)frame->number - dm2->backup.last;
    const bool near =
        back > 0 && back < DM2_UPDATE_BACKUP && dm2_backup_has(&dm2->backup, dm2->backup.last);

    qs_bytes_empty(dm2->unit);
    q2_encode_frame(dm2->unit, &style, near ? last : NULL, frame);
    return (struct qs_view){dm2->unit->data, dm2->unit->len};
}

/* Returns the bytes of a frame, whose messages are adjacent. */
static struct qs_view frame_as_sent(const struct qs_message *first)
{
    const struct qs_message *last = first + FRAME_MESSAGES - 1;

    return (struct qs_view){first->bytes, (uint32_t)(last->bytes + last->length - first->bytes)};
}

static void note_repair(struct dm2 *dm2, const struct q2_frame *frame,
                        const struct qs_packet *packet)
{
    dm2->out->counts.repaired++;
    if (frame->reference_missing && !dm2->lossy) {
        dm2->loss = *packet;
        dm2->layouts = frame->player.stats[STAT_LAYOUTS];
        dm2->layouts_unknown = true;
    }
    dm2->lossy |= frame->reference_missing;
    /* The reference may be known though the demo lacks it. R1Q2 sends the frame's own number when
     * the level changes; then nothing is lost. */
    if (!frame->reference_missing || frame->delta == frame->number)
        return;
    qs_demo_problem(dm2->out, packet,
                    "a frame is a delta from one that the capture lacks: entities and the status "
                    "bar may be wrong until their next update");
}

static void lose_frame(struct dm2 *dm2, const struct qs_packet *packet, const char *why)
{
    dm2->out->counts.missing++;
    qs_demo_problem(dm2->out, packet, "the picture halts: a frame is left out, %s", why);
}

/* Converts a frame of protocol 35 or 36 for the demo. Returns NULL if the frame is skipped. */
static const struct q2_frame *convert_frame(struct dm2 *dm2, const struct q2_session *session,
                                            const struct q2_frame *frame,
                                            const struct qs_packet *packet, uint32_t acknowledged)
{
    const struct q2_frame *converted =
        dm2_converter_frame(&dm2->converter, session, frame, acknowledged);

    dm2->passed_over = !converted;
    if (converted && dm2->converter.view_is_old)
        qs_demo_problem(dm2->out, packet,
                        "the view may look elsewhere: the capture lacks packets of the client that "
                        "the server had");
    if (frame->reference_missing)
        note_repair(dm2, frame, packet);
    return converted;
}

/* True if the frame can be copied. A frame based on a guess may remove entities that the demo does
 * not have, which engines report as errors. */
static bool stays_as_sent(const struct dm2 *dm2, const struct q2_frame *frame)
{
    return frame->delta <= 0 ||
           (!frame->reference_missing && (!dm2->lossy || frame->trust == Q2_FRAME_WHOLE) &&
            dm2_backup_has(&dm2->backup, frame->delta));
}

/* Adds a frame to the demo; `first` is the first of its messages. */
static void add_frame(struct dm2 *dm2, const struct q2_session *session,
                      const struct qs_message *first, int32_t number,
                      const struct qs_packet *packet, uint32_t acknowledged)
{
    const struct q2_frame *frame = q2_tracker_frame(dm2->tracker, number);
    struct qs_view unit;

    if (!frame) {
        lose_frame(dm2, packet, "since it is a delta from one that the capture lacks");
        return;
    }
    if (session->variant.packed)
        frame = convert_frame(dm2, session, frame, packet, acknowledged);
    if (!frame)
        return;
    if (session->variant.packed) {
        unit = encode_frame(dm2, session, dm2->converter.last, frame);
    } else if (stays_as_sent(dm2, frame)) {
        unit = frame_as_sent(first);
    } else {
        if (frame->reference_missing || !dm2_backup_has(&dm2->backup, frame->delta))
            note_repair(dm2, frame, packet);
        unit = encode_frame(dm2, session, q2_tracker_frame(dm2->tracker, dm2->backup.last), frame);
    }
    if (!add_unit(dm2, unit)) {
        lose_frame(dm2, packet, "since it is too long for engines");
        return;
    }
    dm2_backup_add(&dm2->backup, frame->number, frame->entities->len);
    dm2->out->duration += 100000000; /* engines show each frame for 100 ms */
    if (session->variant.packed)
        dm2_converter_keep(&dm2->converter);
}

/* --- Score board after a loss --- */

/* Maximum number of frames between two svc_layout while the score board is shown. id's game sends
 * it again after 32 frames in a deathmatch. */
enum { LAYOUT_EVERY = 40 };

static bool is_gone(const struct dm2 *dm2, const struct q2_session *session,
                    const struct q2_player *player, int32_t number)
{
    return session->level.max_clients > 1 && player->stats[STAT_HEALTH] > 0 &&
           (int64_t)number - dm2->layout_frame > LAYOUT_EVERY;
}

static bool is_dead(const struct q2_player *player)
{
    return player->pm_type >= PM_DEAD && player->stats[STAT_HEALTH] <= 0;
}

/* Revives a guessed player who stays dead though the weapon moves: dead players' weapons do not. */
static void repair_health(const struct dm2 *dm2, struct q2_player *player)
{
    if (dm2->dead && is_dead(player) && player->gunframe != dm2->gunframe) {
        player->pm_type = 0;
        player->stats[STAT_HEALTH] = SPAWN_HEALTH;
    }
}

/* Repairs a guessed player state: hides the score board if svc_layout has not come for too long. */
static void repair_player(struct dm2 *dm2, const struct q2_session *session, int32_t number,
                          bool layout)
{
    const struct q2_frame *frame = q2_tracker_frame(dm2->tracker, number);
    struct q2_player *player = q2_tracker_guessed_player(dm2->tracker, number);

    if (layout || !player)
        dm2->layout_frame = number;
    if (player)
        repair_health(dm2, player);
    if (frame) {
        dm2->gunframe = frame->player.gunframe;
        dm2->dead = is_dead(&frame->player);
    }
    if (!player)
        return;
    if (player->stats[STAT_LAYOUTS] != dm2->layouts || layout)
        dm2->layouts_unknown = false;
    if (is_gone(dm2, session, player, number))
        player->stats[STAT_LAYOUTS] &= ~LAYOUT_SHOWN;
    dm2->layouts = player->stats[STAT_LAYOUTS];
}

/* --- Messages left out --- */

/* clang-format off */
static const uint8_t messages_in_demo[] = {
#define SVC(id, number, name, read, demo, blurb) [SVC_##id] = Q2_DEMO_##demo,
#include "common/quake2/messages.def"
};
/* clang-format on */

static enum q2_in_demo in_demo(const struct qs_message *message)
{
    return message->id < G_N_ELEMENTS(messages_in_demo)
               ? (enum q2_in_demo)messages_in_demo[message->id]
               : Q2_DEMO_NOTHING;
}

/* True if the message drops clients, or has another meaning to them; source of the types of
 * temporary entities: common/quake2/PROTOCOL.md, section 10. */
static bool stops_engines(const struct dm2 *dm2, const struct q2_session *session,
                          const struct qs_message *message)
{
    if (message->id == SVC_TEMP_ENTITY) {
        const uint8_t type = message->bytes[1];

        if (session->base.version <= Q2_TE31_LAST_PROTOCOL &&
            (type == TE31_PLASMATRAIL || type == TE31_GREENBLOOD))
            return true;
        return !dm2->variant.extensions && (type == TE_RAILTRAIL2 || type > TE_FLECHETTE);
    }
    return in_demo(message) == Q2_DEMO_STOPS;
}

static void add_message(struct dm2 *dm2, const struct q2_session *session,
                        const struct qs_message *message)
{
    const enum q2_in_demo what = in_demo(message);

    if (what == Q2_DEMO_NOTHING || what == Q2_DEMO_START || what == Q2_DEMO_FRAME)
        return;
    if (stops_engines(dm2, session, message)) {
        dm2->out->counts.stripped++;
    } else if (what == Q2_DEMO_COMMANDS) {
        qs_bytes_empty(dm2->unit);
        qs_stufftext_filter(&dm2->stufftext, qs_message_view(message), dm2->unit);
        add_unit(dm2, qs_view_of_bytes(dm2->unit));
    } else if (!add_unit(dm2, qs_message_view(message))) {
        dm2->out->counts.missing++;
    }
}

/* --- Packets --- */

/* True if the message at `index` has this id and directly follows the previous one. */
static bool follows(const struct dm2 *dm2, guint index, enum q2_svc id)
{
    const struct qs_message *before = message_at(dm2, index - 1);
    const struct qs_message *message = message_at(dm2, index);

    return message && message->id == id && message->bytes == before->bytes + before->length;
}

/* True if the frame is complete: engines accept only adjacent messages of a frame. */
static bool is_whole_frame(const struct dm2 *dm2, const struct q2_session *session, guint index)
{
    return session->variant.packed ||
           (follows(dm2, index + 1, SVC_PLAYERINFO) && follows(dm2, index + 2, SVC_PACKETENTITIES));
}

static void add_messages(struct dm2 *dm2, const struct qs_decoder *decoder,
                         const struct qs_packet *packet)
{
    const struct q2_session *session = q2_session_of(decoder->session);
    const struct qs_message *message;
    guint frames = 0;

    dm2->passed_over = false;
    for (guint i = 0; (message = message_at(dm2, i)); i++) {
        const int32_t number =
            message->id == SVC_FRAME ? q2_tracker_begun(dm2->tracker, frames++) : 0;

        if (message->id == SVC_FRAME && is_whole_frame(dm2, session, i)) {
            repair_player(dm2, session, number, qs_has_message(decoder, SVC_LAYOUT));
            add_frame(dm2, session, message, number, packet, decoder->found.acknowledged);
            i += session->variant.packed ? 0 : FRAME_MESSAGES - 1;
        } else {
            add_message(dm2, session, message);
        }
    }
    /* Messages that came with a skipped frame wait for the next one. */
    if (!dm2->passed_over)
        flush_block(dm2);
}

static void dm2_packet(void *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    struct dm2 *dm2 = state;
    struct q2_session *session = q2_session_of(decoder->session);

    if (dm2->ended || decoder->found.connectionless || !decoder->found.accepted)
        return;
    /* The states of frames before the tracker followed the session are unknown. */
    dm2->messages = dm2->tracker->followed == session ? decoder->found.messages : NULL;
    if (!dm2->messages)
        q2_tracker_attach(dm2->tracker, session);
    qs_demo_count_losses(dm2->out, decoder, packet);
    if (decoder->found.direction == QS_C2S) {
        if (session->variant.packed)
            dm2_converter_move(&dm2->converter, decoder->found.sequence,
                               session->packet.moved ? &session->packet.newest : NULL);
    } else if (accept_protocol(dm2, session, packet) && follow_level(dm2, session)) {
        if (qs_decoder_problems(decoder))
            qs_demo_not_decoded(dm2->out, packet, true);
        add_messages(dm2, decoder, packet);
    }
    /* A disconnected client does not record what the server still sends. */
    dm2->ended = decoder->session->disconnected;
}

static void dm2_join_late(void *state, const struct qs_donor_match *match,
                          struct qs_session *session)
{
    struct dm2 *dm2 = state;
    const struct q2_frame *frame;

    qs_demo_join_late(dm2->out, match, &q2_protocol, session);
    q2_tracker_attach(dm2->tracker, q2_session_of(session));
    for (unsigned i = 0; (frame = dm2_match_frame(match, i)); i++)
        q2_tracker_insert(dm2->tracker, frame);
    dm2->donor_level = session->level;
}

static void dm2_finish(void *state)
{
    struct dm2 *dm2 = state;

    end_level(dm2);
    if (dm2->level && !dm2->framed)
        qs_demo_nothing_shown(dm2->out);
    else if (dm2->converter.viewless && !dm2->converter.moves)
        qs_demo_never_moved(dm2->out);
}

const struct qs_demo_rebuilder dm2_rebuilder = {
    .create = dm2_new,
    .join_late = dm2_join_late,
    .packet = dm2_packet,
    .finish = dm2_finish,
    .free = dm2_free,
    .by_level = true,
};
