/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds DEM demos: a block for every message that the client read, in that order, with the view
 * angles of the client's moves. Source: common/quake/PROTOCOL.md, sections 2 and 4 to 6.
 *
 * A demo begins with the connection, like a recording started before connecting. If the capture
 * begins later, the demo begins with a donor's sign-on, or with the next level, whose
 * svc_serverinfo starts a new sign-on.
 */
#include "common/core/containers.h"
#include "common/core/numeric_text.h"
#include "common/demo/dem/dem.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

enum {
    /* Maximum number of blocks waiting for the client's next move. During the game it sends one per
     * frame; if the capture lacks them, the last angles are used. */
    WAITING_MAX = 256,
    DONOR_BLOCK_MAX = 60000 /* maximum size of a donor's block, with later changes */
};

/* Sources of the next block's view angles: common/quake/PROTOCOL.md, section 5. */
enum view_source {
    VIEW_MOVE,    /* next move of the client, which moves before it reads in each frame */
    VIEW_ZERO,    /* during the sign-on: the client's state was wiped */
    VIEW_SETANGLE /* svc_setangle of the sign-on, until the first move of the level */
};

struct dem {
    struct qs_demo_writer *out;
    bool begun, ended;
    bool incomplete; /* part of the level's sign-on is missing, which was reported */
    bool lost;       /* engines cannot show the level, because of that */
    bool level_seen; /* a block has svc_serverinfo */
    bool signed_on;  /* a block has svc_signonnum 3 */
    bool undecoded;  /* undecoded messages were reported */
    bool moving;     /* the client has moved in this level */
    bool moved;      /* the client has moved in any level */
    bool timed;      /* `time` is a time of this level */
    enum view_source source;
    struct dem_angles view;  /* latest known angles */
    GByteArray *donor_block; /* scratch: messages of a donor's block */
    GByteArray *waiting;     /* blocks that wait for their angles */
    GArray *waiting_offsets; /* guint: offset of each block in `waiting` */
    guint waiting_room;      /* see qs_array_add() */
    guint waiting_reliable;  /* number of waiting blocks up to the last reliable one */
    guint waiting_read;      /* number of waiting blocks that the client has certainly read */
    guint waiting_safe;      /* number of waiting blocks before messages that the capture lacks */
    uint32_t not_captured;   /* number of server packets reported as not captured */
    uint32_t awaited;        /* number of acknowledged frames that may still come */
    float time;              /* latest svc_time */
    int64_t move_time;       /* time of the packet with the last move */
    uint32_t moves_missing;  /* number of missing client packets at that time */
};

static const struct dem_angles zero_view;

static void *dem_new(struct qs_demo_writer *out)
{
    struct dem *dem = g_new0(struct dem, 1);

    dem->out = out;
    dem->donor_block = g_byte_array_new();
    dem->waiting = g_byte_array_new();
    dem->waiting_offsets = g_array_new(FALSE, FALSE, sizeof(guint));
    dem->waiting_safe = G_MAXUINT;
    return dem;
}

static void dem_free(void *state)
{
    struct dem *dem = state;

    g_byte_array_free(dem->donor_block, TRUE);
    g_byte_array_free(dem->waiting, TRUE);
    g_array_free(dem->waiting_offsets, TRUE);
    g_free(dem);
}

/* --- Blocks --- */

/* Writes the waiting blocks with the latest known angles. */
static void write_waiting(struct dem *dem)
{
    const GArray *offsets = dem->waiting_offsets;

    for (guint i = 0; !dem->out->no_bytes && i < offsets->len; i++)
        dem_set_view(dem->waiting->data + g_array_index(offsets, guint, i), &dem->view);
    qs_demo_write(dem->out, qs_view_of_bytes(dem->waiting));
    dem->out->counts.blocks += offsets->len;
    qs_bytes_empty(dem->waiting);
    qs_array_empty(dem->waiting_offsets);
    dem->waiting_read = dem->waiting_reliable = 0;
    dem->waiting_safe = G_MAXUINT;
}

/* Drops the waiting blocks except the first `keep`. */
static void drop_waiting(struct dem *dem, guint keep)
{
    if (keep >= dem->waiting_offsets->len)
        return;
    g_byte_array_set_size(dem->waiting, g_array_index(dem->waiting_offsets, guint, keep));
    dem->waiting_offsets->len = keep;
    dem->waiting_reliable = MIN(dem->waiting_reliable, keep);
    dem->waiting_read = MIN(dem->waiting_read, keep);
}

/* Adds a block, which gets its angles when it is written. */
static void add_block(struct dem *dem, struct qs_view messages)
{
    const guint index = qs_array_add(dem->waiting_offsets, &dem->waiting_room);

    g_array_index(dem->waiting_offsets, guint, index) = dem->waiting->len;
    if (!dem->out->no_bytes)
        dem_append_block(dem->waiting, &dem->view, messages);
}

static struct dem_angles angles_of(const struct nq_angles *angles)
{
    return (struct dem_angles){(float)angles->pitch, (float)angles->yaw, (float)angles->roll};
}

/* --- Start of the demo --- */

static void begin(struct dem *dem)
{
    GByteArray *header = g_byte_array_new();

    qs_demo_begin(dem->out);
    dem_append_header(header, DEM_TRACK_NONE);
    qs_demo_write(dem->out, qs_view_of_bytes(header));
    g_byte_array_free(header, TRUE);
    dem->begun = true;
}

/* Reports the loss once per level; the next level has its own sign-on. Drops the messages since the
 * loss, which may be of the unseen level, too. */
static void note_lost(struct dem *dem, const struct nq_session *session)
{
    const bool unplayable = qs_level_is_unplayable(&session->base);

    if (unplayable && !dem->lost)
        drop_waiting(dem, dem->waiting_safe);
    if (!dem->lost && (unplayable || !dem->incomplete))
        qs_demo_level_lost(dem->out, qs_map_of(&nq_protocol, &session->base), &session->base.lost);
    dem->lost = unplayable;
    dem->incomplete = true;
}

/* True if the message only keeps the connection alive. */
static bool is_idle(const struct nq_session *session)
{
    const struct qs_view messages = session->delivered.bytes;

    return messages.size == 1 && messages.data[0] == SVC_NOP;
}

/* True if the messages (texts, commands, keep-alives) may come before svc_serverinfo. */
static bool is_greeting(const struct qs_decoder *decoder)
{
    for (guint i = 0; i < decoder->found.messages->len; i++)
        switch (qs_message_at(decoder, i)->id) {
        case SVC_NOP:
        case SVC_PRINT:
        case SVC_STUFFTEXT:
            break;
        default:
            return false;
        }
    return true;
}

/* True if engines can use the message (PROTOCOL.md, section 6). Reports an unplayable level. */
static bool follow_level(struct dem *dem, const struct qs_decoder *decoder, bool level)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (level) {
        dem->lost = dem->incomplete = false;
        return true;
    }
    if (dem->level_seen) {
        if (session->base.lost.packet)
            note_lost(dem, session);
        return !dem->lost && !session->doubt.loss.packet;
    }
    if (dem_needs_level(decoder))
        qs_demo_start_missing(dem->out, NULL);
    return session->base.connection && !dem->out->late && is_greeting(decoder);
}

/* --- A donor's sign-on --- */

/* State of the donor's block that is being written. */
struct donor_block {
    struct dem *dem;
    uint32_t number;
};

static void end_donor_block(struct dem *dem)
{
    if (dem->donor_block->len)
        add_block(dem, qs_view_of_bytes(dem->donor_block));
    qs_bytes_empty(dem->donor_block);
}

static void add_donor_message(void *user, uint32_t block, struct qs_view message)
{
    struct donor_block *donor = user;
    struct dem *dem = donor->dem;

    if (block != donor->number || dem->donor_block->len + message.size > DONOR_BLOCK_MAX)
        end_donor_block(dem);
    donor->number = block;
    qs_write_view(dem->donor_block, message);
}

/* Writes the donor's sign-on, with its own view angles. Later blocks have the client's. */
static void dem_join_late(void *state, const struct qs_donor_match *match,
                          struct qs_session *session)
{
    struct dem *dem = state;
    struct donor_block donor = {dem, 0};

    qs_demo_join_late(dem->out, match, &nq_protocol, session);
    if (!dem->begun)
        begin(dem);
    dem_match_messages(match, add_donor_message, &donor);
    end_donor_block(dem);
    write_waiting(dem);
    dem->level_seen = dem->signed_on = true;
    dem->lost = false;
    dem->source = VIEW_MOVE;
}

/* True for the rest of the session's own sign-on. Engines stop at a stage that they have passed. */
static bool repeats_sign_on(const struct qs_decoder *decoder)
{
    if (!((const struct nq_session *)decoder->session)->has_donor)
        return false;
    return qs_has_message(decoder, SVC_SIGNONNUM) || qs_has_message(decoder, SVC_SPAWNBASELINE) ||
           qs_has_message(decoder, SVC_SPAWNSTATIC);
}

/* --- Server messages --- */

/*
 * Updates the source of the angles by the current block. id's engine and QuakeSpasm write a block
 * before they execute it, DarkPlaces afterwards, so there its own angles change, too.
 */
static void follow_signon(struct dem *dem, const struct nq_session *session, bool level)
{
    if (level) {
        dem->view = zero_view;
        dem->source = VIEW_ZERO;
        dem->level_seen = true;
        dem->moving = dem->timed = false;
    } else if (dem->source == VIEW_ZERO && session->signon >= SIGNON_DONE) {
        dem->signed_on = true;
        dem->source = VIEW_SETANGLE;
    } else if (dem->source == VIEW_SETANGLE) {
        dem->source = VIEW_MOVE;
    }
    if (dem->source == VIEW_SETANGLE && session->angle_set)
        dem->view = angles_of(&session->set);
}

static bool begins_level(const struct dem *dem, const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (qs_has_message(decoder, SVC_SERVERINFO))
        return true;
    /* An undecodable svc_serverinfo is no message here; svc_version alone begins no level. */
    return session->base.level && session->undecodable && !dem->level_seen;
}

static void report_undecoded(struct dem *dem, const struct qs_decoder *decoder,
                             const struct qs_packet *packet)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (!session->undecodable)
        qs_demo_not_decoded(dem->out, packet, false);
    else if (!dem->undecoded)
        qs_demo_problem(dem->out, packet,
                        "protocol %d is not decoded: messages are %s, and view angles are missing",
                        session->base.version,
                        dem->out->sanitized ? "left out" : "copied as they are");
    dem->undecoded |= session->undecodable;
}

static void add_message(struct dem *dem, const struct qs_decoder *decoder,
                        const struct qs_packet *packet)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;
    const bool level = begins_level(dem, decoder);
    const struct qs_view messages = session->delivered.bytes;

    /* DarkPlaces records keep-alive messages; id's engine and QuakeSpasm do not. */
    if ((is_idle(session) && !session->darkplaces_client) || repeats_sign_on(decoder) ||
        !follow_level(dem, decoder, level))
        return;
    if (!dem->begun)
        begin(dem);
    if (qs_decoder_problems(decoder) && !qs_packet_is_cut(packet))
        report_undecoded(dem, decoder, packet);
    if (session->darkplaces_client) {
        if (level)
            write_waiting(dem);
        follow_signon(dem, session, level);
    }
    if (messages.size)
        add_block(dem, messages);
    if (session->delivered.reliable)
        dem->waiting_reliable = dem->waiting_offsets->len;
    if (level || dem->source != VIEW_MOVE || dem->waiting_offsets->len >= WAITING_MAX)
        write_waiting(dem);
    if (!session->darkplaces_client)
        follow_signon(dem, session, level);
}

/* --- Packets --- */

/* Reports missing moves. Blocks between two moves have the angles of the second one, which is wrong
 * if the moves between them are missing for a while. */
static void note_missing_moves(struct dem *dem, const struct nq_session *session,
                               const struct qs_packet *packet)
{
    enum { WHILE = 1000000000 /* ns */ };
    const uint32_t missing = session->base.to_server.missing;

    if (dem->begun && dem->moving && missing != dem->moves_missing &&
        packet->time - dem->move_time >= WHILE)
        qs_demo_problem(dem->out, packet,
                        "the view may be wrong until then: moves of the client are missing");
    dem->moves_missing = missing;
    dem->move_time = packet->time;
}

static void add_move(struct dem *dem, const struct nq_session *session)
{
    /* The move was sent before the client received the new level's svc_serverinfo. */
    if (dem->source == VIEW_ZERO)
        return;
    dem->view = angles_of(&session->move);
    dem->source = VIEW_MOVE;
    dem->moving = dem->moved = true;
    if (dem->begun)
        write_waiting(dem);
}

/* Reports reliable messages that the client had but the capture lacks, and packets that it cut. */
static void note_missing(struct dem *dem, const struct qs_decoder *decoder,
                         const struct qs_packet *packet)
{
    const bool cut = decoder->found.accepted && qs_packet_is_cut(packet);
    /* A packet with an acknowledgement proves missing packets of the client, not the server's. */
    const bool lacks = decoder->found.notes[QS_NOTE_NOT_CAPTURED] && !decoder->found.acknowledged;

    if (!dem->begun || (!cut && !lacks))
        return;
    if (cut)
        qs_demo_not_decoded(dem->out, packet, true);
    else
        dem->waiting_safe = MIN(dem->waiting_safe, dem->waiting_offsets->len);
    if (!cut)
        qs_demo_problem(dem->out, packet,
                        "texts, names or scores are missing: the capture lacks messages that the "
                        "client had");
    dem->out->counts.missing++;
}

/* Reports missing packets with entities. Engines keep an entity's state from earlier frames, or do
 * not know it. The packets belong to a hole. */
static void note_lost_frames(struct dem *dem, const struct nq_session *session,
                             const struct qs_packet *packet)
{
    const uint32_t lost = session->base.to_client.not_captured;

    if (dem->begun && lost > dem->not_captured)
        qs_demo_problem(dem->out, packet,
                        "entities may be wrong until their next update: the capture lacks server "
                        "packets that the client had");
    dem->not_captured = lost;
    dem->awaited = nq_frames_awaited(&session->frames);
}

static void follow_time(struct dem *dem, const struct nq_session *session)
{
    if (!session->timed)
        return;
    if (dem->timed && session->time > dem->time) {
        const double seconds = (double)session->time - (double)dem->time;
        const double limit = 1e9; /* servers can send any time */

        dem->out->duration =
            (int64_t)(MIN((double)dem->out->duration / 1e9 + seconds, limit) * 1e9);
    }
    dem->timed = true;
    dem->time = session->time;
}

static void dem_packet(void *state, const struct qs_decoder *decoder,
                       const struct qs_packet *packet)
{
    struct dem *dem = state;
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (dem->ended || decoder->found.connectionless)
        return;
    if (decoder->found.direction == QS_S2C)
        note_missing(dem, decoder, packet);
    if (dem->begun)
        qs_demo_count_losses(dem->out, decoder, packet);
    note_lost_frames(dem, session, packet);
    if (decoder->found.direction == QS_S2C)
        follow_time(dem, session);
    if (decoder->found.direction == QS_S2C && session->delivered.bytes.data)
        add_message(dem, decoder, packet);
    else if (decoder->found.direction == QS_C2S && session->moved) {
        note_missing_moves(dem, session, packet);
        add_move(dem, session);
    }
    if (decoder->found.direction == QS_C2S && session->to_client.acknowledgements)
        dem->waiting_read = dem->waiting_reliable;
    /* Engines record no packets to a client that has left. */
    dem->ended = session->base.disconnected;
    /* The client moves before it reads, and left without another move: it never read what waits,
     * except acknowledged reliable messages. Recorders do not have the rest either. */
    if (dem->ended && decoder->found.direction == QS_C2S && dem->moving)
        drop_waiting(dem, dem->waiting_read);
}

/* --- End of the demo --- */

static void dem_finish(void *state)
{
    static const uint8_t disconnect[] = {SVC_DISCONNECT};
    struct dem *dem = state;

    if (!dem->begun)
        return;
    if (dem->awaited)
        qs_demo_missing(dem->out, NULL, dem->awaited,
                        "at its end, the capture lacks server packets that the client had");
    /* Recorders end with svc_disconnect, whichever side left. */
    add_block(dem, (struct qs_view){disconnect, sizeof disconnect});
    write_waiting(dem);
    if (!dem->level_seen) {
        qs_demo_start_missing(dem->out, NULL);
        qs_demo_discard(dem->out);
    } else if (!dem->signed_on && !dem->undecoded) {
        if (dem->lost)
            qs_demo_discard(dem->out); /* the reason is reported */
        else
            qs_demo_nothing_shown(dem->out);
    } else if (!dem->moved && !dem->undecoded) {
        qs_demo_never_moved(dem->out);
    }
}

const struct qs_demo_rebuilder dem_rebuilder = {
    .create = dem_new,
    .join_late = dem_join_late,
    .packet = dem_packet,
    .finish = dem_finish,
    .free = dem_free,
};
