/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames: svc_frame, svc_playerinfo and svc_packetentities, which protocols 35 and 36 put into one
 * message. Source: dm2-format, sections 3.18 to 3.21; PROTOCOL.md, sections 7
 * and 11.
 */
#include "common/core/text.h"
#include "common/quake2/decode.h"

enum {
    FRAME_BITS = 27,       /* bits of the frame number in a packed frame word */
    NO_DELTA = 31,         /* value of the five bits above the number */
    RELAY_CLIENTS_MAX = 32 /* maximum number of connected clients of a relay */
};

/* --- Rosters: players of a frame, for svc_playerupdate --- */

enum {
    ROSTER_FRAMES = 32, /* number of frames whose players are known: bits of roster_known */
    PLAYERS_MAX = 256,
    ROSTER_SIZE = PLAYERS_MAX / 8 + 1
};

/* Returns the distance of the frame from the newest one; -1 if it is out of range. */
static int frames_back(const struct q2_session *session, int32_t frame)
{
    const int64_t back = (int64_t)session->level.roster_newest - frame;

    return back >= 0 && back < ROSTER_FRAMES ? (int)back : -1;
}

/* One bit for each player's entity. */
struct roster {
    uint8_t bits[ROSTER_SIZE];
};

/* Finds the roster of the frame. Returns false, with an empty `roster`, if it is unknown. */
static bool find_roster(const struct q2_session *session, int32_t frame, struct roster *roster)
{
    const int back = frames_back(session, frame);
    const char *bytes = qs_table_get(&session->level.rosters, (uint32_t)frame % ROSTER_FRAMES);

    *roster = (struct roster){{0}};
    if (back < 0 || !(session->level.roster_known >> back & 1) || !bytes)
        return false;
    memcpy(roster, bytes, sizeof *roster);
    return true;
}

static void keep_roster(struct q2_session *session, int32_t frame, const struct roster *roster,
                        bool known)
{
    const int64_t ahead = (int64_t)frame - session->level.roster_newest;
    uint32_t bit;

    if (frames_back(session, frame) < 0) {
        session->level.roster_known =
            ahead > 0 && ahead < ROSTER_FRAMES ? session->level.roster_known << ahead : 0;
        session->level.roster_newest = frame;
    }
    bit = UINT32_C(1) << frames_back(session, frame);
    session->level.roster_known &= ~bit;
    session->level.roster_known |= known ? bit : 0;
    qs_table_set(&session->level.rosters, (uint32_t)frame % ROSTER_FRAMES,
                 (struct qs_view){roster->bits, sizeof roster->bits});
}

/* --- Entities */

struct entity_list {
    struct roster *roster; /* roster of the frame; NULL if not needed */
    uint32_t max_clients;
    uint16_t last; /* number of the previous entity */
};

static bool is_entity(const struct qs_decoder *d, uint16_t number)
{
    const bool wide = q2_variant(d)->extensions || q2_variant(d)->rerelease;

    return number < (wide ? Q2_ENTITIES_EXTENDED_MAX : Q2_ENTITIES_MAX);
}

/* Notes a wrong entity number. Engines end the game at one that is too high: stops decoding. */
static void note_unusual_number(struct qs_decoder *d, const struct entity_list *list,
                                uint16_t number, uint32_t at)
{
    if (!is_entity(d, number)) {
        qs_note(d, QS_NOTE_MALFORMED, at, d->in.pos - at, "Entity number %u is too high", number);
        d->stop = true;
    } else if (number <= list->last) {
        qs_note(d, QS_NOTE_MALFORMED, at, d->in.pos - at,
                "Entity %u follows entity %u: numbers must increase", number, list->last);
    }
}

static void update_roster(struct entity_list *list, struct q2_entity_mask mask)
{
    const uint8_t bit = (uint8_t)(1 << mask.number % 8);

    if (!list->roster || mask.number > MIN(list->max_clients, PLAYERS_MAX))
        return;
    if (mask.bits & U_REMOVE)
        list->roster->bits[mask.number / 8] &= (uint8_t)~bit;
    else
        list->roster->bits[mask.number / 8] |= bit;
}

static void read_entity_fields(struct qs_decoder *d, struct q2_entity_mask mask)
{
    const bool beam_origin = q2_variant(d)->beam_origin;
    struct q2_tracker *tracker = q2_tracker(d);
    struct q2_entity *entity = NULL, alone;
    int32_t stood[3];

    if (tracker)
        entity = q2_tracker_entity(tracker, mask.number, mask.bits, beam_origin);
    if (!entity) {
        alone = (struct q2_entity){.number = mask.number};
        entity = &alone;
    }
    if (mask.bits & U_REMOVE) {
        qs_label(d, " gone");
        q2_rerelease_remove(q2_session_of(d->session), mask.number);
        if (!q2_variant(d)->mvd)
            return;
    }
    memcpy(stood, entity->origin, sizeof stood);
    q2_read_entity(d, mask.bits, entity);
    if (!(mask.bits & U_OLDORIGIN))
        q2_entity_came_from(entity, stood, beam_origin);
}

/* Returns true if another entity may follow. */
static bool read_one_entity(struct qs_decoder *d, struct entity_list *list)
{
    const uint32_t at = d->in.pos;
    struct q2_entity_mask mask;

    qs_open(d, Q2_ENTITY);
    mask = q2_read_entity_mask(d);
    if (!mask.number || d->in.overrun) {
        if (qs_label_wanted(d))
            qs_label(d, ": end");
        qs_close(d);
        return false;
    }
    if (qs_label_wanted(d))
        qs_label(d, " #%u", mask.number);
    note_unusual_number(d, list, mask.number, at);
    list->last = mask.number;
    update_roster(list, mask);
    read_entity_fields(d, mask);
    qs_close(d);
    return !d->in.overrun && !d->stop;
}

static void read_entities(struct qs_decoder *d, struct entity_list *list)
{
    struct q2_tracker *tracker = q2_tracker(d);
    unsigned count = 0;

    while (read_one_entity(d, list))
        count++;
    if (tracker && !d->in.overrun && !d->stop)
        q2_tracker_frame_end(tracker, q2_variant(d)->beam_origin);
    if (qs_label_wanted(d))
        qs_label(d, ": %u entities", count);
}

void q2_read_packetentities(struct qs_decoder *d)
{
    struct entity_list list = {0};

    read_entities(d, &list);
}

/* --- Player --- */

static void read_player(struct qs_decoder *d, uint8_t extra)
{
    struct q2_tracker *tracker = q2_tracker(d);
    struct q2_player *player = tracker ? q2_tracker_player(tracker) : NULL, alone;

    if (!player) {
        alone = (struct q2_player){.clientnum = q2_session_of(d->session)->player};
        player = &alone;
    }
    q2_read_player(d, extra, player);
}

void q2_read_playerinfo(struct qs_decoder *d)
{
    read_player(d, 0);
}

/* --- Frame --- */

static struct qs_view read_areas(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t size = qs_u8(d, Q2_FRAME_AREA_BYTES);

    if (size > Q2_AREA_BYTES_MAX && !q2_variant(d)->q2repro && !q2_variant(d)->rerelease)
        qs_note(d, QS_NOTE_MALFORMED, at, 1, "%u bytes of areas exceed the maximum of %d", size,
                Q2_AREA_BYTES_MAX);
    return size ? qs_bytes(d, Q2_FRAME_AREAS, size) : (struct qs_view){0};
}

static void begin_frame(struct qs_decoder *d, int32_t number, int32_t delta, uint8_t suppressed,
                        struct qs_view areas)
{
    struct q2_session *session = q2_session_of(d->session);
    struct q2_tracker *tracker = q2_tracker(d);

    q2_level_frame(d, number);
    d->found.path.frame = number > 0 ? (uint32_t)number : 0;
    /* Without a client number. Source: Q2PRO, server/entities.c. */
    if (delta <= 0)
        session->viewed =
            session->player > 0 && q2_is_q2pro(session->base.version) ? 0 : session->player;
    if (qs_label_wanted(d) && delta > 0)
        qs_label(d, " %d from %d", number, delta);
    else if (qs_label_wanted(d))
        qs_label(d, " %d, full", number);
    if (tracker && !d->in.overrun)
        q2_tracker_frame_begin(tracker, number, delta, suppressed, areas);
}

/* Reads the connected clients, which relay recordings list. */
static void read_connected(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t count = qs_u8(d, Q2_FRAME_CONNECTED_COUNT);

    if (count > RELAY_CLIENTS_MAX)
        qs_note(d, QS_NOTE_UNUSUAL, at, 1, "%u connected clients", count);
    for (unsigned i = 0; i < count && !d->in.overrun; i++)
        qs_u8(d, Q2_FRAME_CONNECTED);
}

static void read_plain_frame(struct qs_decoder *d)
{
    const struct q2_variant *variant = q2_variant(d);
    const int32_t number = qs_i32(d, Q2_FRAME_NUMBER);
    uint8_t suppressed = 0;
    struct qs_view areas;
    int32_t delta;

    if (variant->server_record) {
        begin_frame(d, number, -1, 0, (struct qs_view){0});
        return;
    }
    delta = qs_i32(d, Q2_FRAME_DELTA);
    if (variant->suppress_byte)
        suppressed = qs_u8(d, Q2_FRAME_SUPPRESSED);
    areas = read_areas(d);
    begin_frame(d, number, delta, suppressed, areas);
    if (delta <= 0)
        qs_table_clear(&q2_session_of(d->session)->level.solids);
    if (variant->relay)
        read_connected(d);
}

/* Reads the entities of a packed frame, and keeps its roster for svc_playerupdate. R1Q2's first
 * frame is a delta from its own number. */
static void read_packed_entities(struct qs_decoder *d, int32_t number, int32_t delta)
{
    struct q2_session *session = q2_session_of(d->session);
    struct entity_list list = {.max_clients = session->level.max_clients};
    bool known = delta <= 0 || delta == number;
    struct roster roster;

    /* Only R1Q2 has svc_playerupdate; a guessed session of Q2PRO may turn out to be R1Q2's. */
    if (session->base.version == Q2_PROTOCOL_R1Q2 || session->handshake.guessed) {
        known |= find_roster(session, delta, &roster);
        list.roster = &roster;
    }
    read_entities(d, &list);
    if (list.roster)
        keep_roster(session, number, &roster, known);
}

/* Reads the id of a message within a frame: AQtion keeps the ids of the messages that others merge.
 * Clients stop at another id. */
static void read_inner_id(struct qs_decoder *d, enum q2_svc id)
{
    const uint32_t at = d->in.pos;

    if (q2_variant(d)->aqtion && qs_u8(d, Q2_FRAME_INNER_SVC) != id && !d->in.overrun) {
        qs_note(d, QS_NOTE_MALFORMED, at, 1, "The frame lacks message %u", id);
        qs_reader_overrun(&d->in);
    }
}

static void read_packed_frame(struct qs_decoder *d, unsigned extra)
{
    const uint32_t at = d->in.pos;
    const uint32_t word = qs_u32(d, Q2_FRAME_WORD);
    const int32_t number = (int32_t)(word & ((UINT32_C(1) << FRAME_BITS) - 1));
    const int32_t back = (int32_t)(word >> FRAME_BITS);
    const int32_t delta = back == NO_DELTA ? -1 : number - back;
    struct qs_view areas;
    uint8_t byte;

    qs_emit_generated_int(d, Q2_FRAME_NUMBER, at, 4, number);
    qs_emit_generated_int(d, Q2_FRAME_DELTA, at, 4, delta);
    byte = qs_u8(d, Q2_FRAME_SUPPRESS_BYTE);
    extra |= byte >> 4;
    if (q2_variant(d)->q2repro)
        extra = qs_u8(d, Q2_FRAME_EXTRA_BYTE);
    areas = read_areas(d);
    begin_frame(d, number, delta, byte & 15, areas);
    d->found.path.has_drop = q2_is_q2pro(q2_session_of(d->session)->base.version);
    d->found.path.drop = byte & FF_CLIENTDROP;
    qs_open(d, Q2_PLAYER);
    read_inner_id(d, SVC_PLAYERINFO);
    read_player(d, (uint8_t)extra);
    qs_close(d);
    read_inner_id(d, SVC_PACKETENTITIES);
    read_packed_entities(d, number, delta);
}

void q2_read_frame(struct qs_decoder *d, unsigned extra_bits)
{
    if (q2_variant(d)->packed)
        read_packed_frame(d, extra_bits << 4);
    else
        read_plain_frame(d);
}

/* --- Positions between frames --- */

/* Reads R1Q2's positions: one for each player of the frame except the client's own, without numbers
 * or a count. So the frame's players must be known. */
void q2_read_playerupdate(struct qs_decoder *d)
{
    const struct q2_session *session = q2_session_of(d->session);
    const int32_t frame = qs_i32(d, Q2_PLAYERUPDATE_FRAME);
    struct roster roster;

    if (!session->level.max_clients || !find_roster(session, frame, &roster)) {
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, d->in.pos - 4, 4,
                "The players in frame %d are unknown, and so is the length of the message", frame);
        d->stop = true;
        return;
    }
    for (int number = 1; number <= PLAYERS_MAX; number++)
        if (roster.bits[number / 8] >> number % 8 & 1 && number != session->player + 1) {
            int32_t origin[3];

            qs_open(d, Q2_PLAYERUPDATE_PLAYER);
            qs_label(d, " #%d", number);
            qs_emit_generated_uint(d, Q2_PLAYERUPDATE_ENTITY, d->in.pos, 0, (uint64_t)number);
            q2_read_position(d, Q2_PLAYERUPDATE_ORIGIN, origin);
            qs_close(d);
        }
}
