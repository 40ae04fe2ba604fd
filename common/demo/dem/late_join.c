/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Late joins of Quake sessions: which donors a session contradicts, which player it is, and the
 * sign-on that its client would have had. Source: common/quake/PROTOCOL.md, section 9.
 */
#include "common/core/findings.h"
#include "common/core/hash.h"
#include "common/core/writer.h"
#include "common/demo/dem/dem.h"
#include "common/quake/constants.h"
#include "common/quake/decode.h"

enum { SLOTS = 256, FRAME_ENTITIES = ENTITY_NUMBER + 1 };

/* Updates of a player's entity in the late session. */
struct slot {
    uint32_t updates;
    double yaw_error; /* sum of differences from the yaw of the client's moves */
};

/* First message about an entity of DarkPlaces in the late session. */
enum first_message { NOTHING, FULL_UPDATE, CHANGE, REMOVAL };

struct dem_match {
    struct qs_donor_match base;
    const struct nq_session *donor; /* state of the donor's client */
    int32_t version;                /* protocol of the late session */
    double yaw;                     /* yaw of the client's last move */
    struct slot slots[SLOTS];       /* by entity; entity 0 is no player */
    uint8_t *firsts; /* enum first_message by entity number, for entities of DP5 to DP8 */
    bool timed;
    float time;   /* first svc_time */
    uint8_t slot; /* entity of the session's player, set by judge() */
};

/* --- Updates of entities --- */

/* Returns the difference in degrees, 0 to 180; 180 if it is no number, or absurd. */
static double turn_between(double a, double b)
{
    double turn = a - b;

    if (!(turn > -720 && turn < 720))
        return 180;
    while (turn > 180)
        turn -= 360;
    while (turn < -180)
        turn += 360;
    return turn < 0 ? -turn : turn;
}

static void observe_player(struct dem_match *m, uint32_t entity, double yaw)
{
    if (entity < 1 || entity > m->donor->maxclients)
        return;
    m->slots[entity].updates++;
    m->slots[entity].yaw_error += turn_between(yaw, m->yaw);
}

/*
 * True if the update is of another baseline. A server sends only what differs from the baseline
 * (PROTOCOL.md, section 9): it never repeats it, nor omits a model that the baseline lacks.
 */
static bool contradicts(const struct qs_entity_update *update,
                        const struct qs_entity_update *baseline)
{
    const bool has_model = update->has & QS_ENTITY_MODEL;

    if (!baseline)
        return !has_model;
    if (has_model ? update->model == baseline->model : !baseline->model)
        return true;
    for (unsigned axis = 0; axis < 3; axis++)
        if (update->has & QS_ENTITY_ORIGIN1 << axis &&
            update->origin[axis] == baseline->origin[axis])
            return true;
    return false;
}

static void observe_update(struct dem_match *m, const struct qs_entity_update *update)
{
    const struct qs_entity_update *baseline, *turned;

    if (update->has & QS_ENTITY_MODEL && update->model &&
        !qs_table_get(&m->donor->models, update->model))
        qs_donor_match_contradict(&m->base, "its list has no model %u, which the session has",
                                  update->model);
    if (update->kind == QS_ENTITY_FRAME) {
        uint8_t *first = &m->firsts[update->number];

        if (!*first)
            *first = update->removes                ? REMOVAL
                     : update->bits & E5_FULLUPDATE ? FULL_UPDATE
                                                    : CHANGE;
        if (update->has & QS_ENTITY_YAW)
            observe_player(m, update->number, update->yaw);
        return;
    }
    if (update->kind != QS_ENTITY_UPDATE)
        return;
    baseline =
        g_hash_table_lookup(dem_baselines(m->base.sign_on), GUINT_TO_POINTER(update->number));
    turned = update->has & QS_ENTITY_YAW ? update : baseline;
    observe_player(m, update->number, turned ? turned->yaw : 0);
    if (update->number > m->donor->maxclients && contradicts(update, baseline))
        qs_donor_match_contradict(&m->base,
                                  "an update of entity %u contradicts its baseline: it is of "
                                  "another map or game",
                                  update->number);
}

/* --- Matching a donor --- */

static struct qs_donor_match *dem_match_new(const struct qs_sign_on *sign_on,
                                            enum qs_donor_kind kind)
{
    struct dem_match *m = g_new0(struct dem_match, 1);

    qs_donor_match_init(&m->base, sign_on, kind);
    m->donor = (const struct nq_session *)sign_on->session;
    m->firsts = g_new0(uint8_t, FRAME_ENTITIES);
    return &m->base;
}

static void dem_match_free(struct qs_donor_match *match)
{
    struct dem_match *m = (struct dem_match *)match;

    qs_donor_match_clear(match);
    g_free(m->firsts);
    g_free(m);
}

/* True for a donor of protocol 15 and a session of FitzQuake's: only the number differs. */
static bool is_widened(const struct dem_match *m)
{
    return m->donor->base.version == PROTOCOL_NETQUAKE && m->version == PROTOCOL_FITZQUAKE;
}

static void dem_prepare(struct qs_donor_match *match, struct qs_session *session,
                        const struct qs_session *known)
{
    struct dem_match *m = (struct dem_match *)match;
    struct nq_session *late = (struct nq_session *)session;

    m->version = known->version ? known->version : m->donor->base.version;
    if (m->version != m->donor->base.version && !is_widened(m))
        qs_donor_match_contradict(match, "its protocol is %d, but the session's is %d",
                                  m->donor->base.version, m->version);
    match->loss = session->lost;
    match->lacks = match->loss.packet ? QS_LACKS_PART : QS_LACKS_START;
    nq_session_use_donor(late, m->donor);
    if (match->kind == QS_DONOR_DEMO)
        qs_table_clear(&late->players);
    late->view_entity = m->slot;
    if (is_widened(m))
        session->version = m->version;
}

static void dem_observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    struct dem_match *m = (struct dem_match *)match;
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    for (guint i = 0; i < decoder->found.entities->len; i++)
        observe_update(m, &g_array_index(decoder->found.entities, struct qs_entity_update, i));
    if (session->timed && decoder->found.direction == QS_S2C)
        qs_donor_match_compare_mark(match, session->delivered.bytes);
    match->seen |= decoder->found.direction == QS_S2C && dem_needs_level(decoder);
    if (session->timed && !m->timed)
        m->time = session->time;
    m->timed |= session->timed;
    if (session->moved)
        m->yaw = session->move.yaw;
}

static double mean_error(const struct slot *slot)
{
    return slot->yaw_error / slot->updates;
}

/*
 * Returns the entity of the session's player, or 0. It is in each datagram, whatever the player
 * sees (SV_WriteEntitiesToClient); if others are as well, its yaw is the nearest to that of the
 * client's moves. If no player's entity is sent, the player of a demo is assumed.
 */
static uint8_t find_slot(const struct dem_match *m)
{
    uint32_t most = 0;
    uint8_t best = 0;

    for (unsigned i = 1; i < SLOTS; i++)
        most = MAX(most, m->slots[i].updates);
    for (unsigned i = 1; most && i < SLOTS; i++)
        if (m->slots[i].updates >= most - most / 50 &&
            (!best || mean_error(&m->slots[i]) < mean_error(&m->slots[best])))
            best = (uint8_t)i;
    return best || m->base.kind != QS_DONOR_DEMO ? best : (uint8_t)m->donor->view_entity;
}

static void dem_judge(struct qs_donor_match *match)
{
    struct dem_match *m = (struct dem_match *)match;

    m->slot = find_slot(m);
    if (!m->slot)
        qs_donor_match_contradict(match, "no packet shows which player the session's client is");
    qs_donor_match_unknown(match, match->kind == QS_DONOR_DEMO,
                           "the names, frags and colors of players, until they change");
    /* DarkPlaces sends changes to entities that the client has: PROTOCOL.md, section 9. */
    qs_donor_match_unknown(match, nq_darkplaces_version(m->donor),
                           "entities that were in view, until they are mentioned");
}

/* --- Sign-on for the demo --- */

/* Adds the message with the session's own protocol, time and player. More fields may follow them,
 * if FTE's extensions are used. */
static void add_own(const struct dem_match *m, uint32_t block, struct qs_view message,
                    dem_add_message *add, void *user)
{
    uint8_t *bytes = g_memdup2(message.data, message.size);
    const bool versioned = bytes[0] == SVC_SERVERINFO && is_widened(m);
    const bool timed = bytes[0] == SVC_TIME && m->timed;
    const uint32_t word = timed ? qs_bits_of_float(m->time) : (uint32_t)m->version;

    for (uint32_t i = 0; (versioned || timed) && i < 4 && i + 1 < message.size; i++)
        bytes[1 + i] = (uint8_t)(word >> 8 * i);
    if (bytes[0] == SVC_SETVIEW && message.size == 3) {
        bytes[1] = m->slot;
        bytes[2] = 0;
    }
    add(user, block, (struct qs_view){bytes, message.size});
    g_free(bytes);
}

/* True if the message is the name, the frags or the colors of a player. */
static bool is_of_player(uint8_t id)
{
    return id == SVC_UPDATENAME || id == SVC_UPDATEFRAGS || id == SVC_UPDATECOLORS;
}

/* Adds the sign-on, then the entities in view: those first mentioned by a change or a removal. */
void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user)
{
    const struct dem_match *m = (const struct dem_match *)match;
    const struct qs_sign_on *sign_on = match->sign_on;
    uint32_t block = 0;

    for (guint i = 0; i < qs_sign_on_count(sign_on); i++) {
        const struct qs_view message = qs_sign_on_at(sign_on, i, &block);

        if (match->kind != QS_DONOR_DEMO || !is_of_player(message.data[0]))
            add_own(m, block, message, add, user);
    }
    for (uint32_t i = 0; i < FRAME_ENTITIES; i++) {
        const struct qs_view state = qs_sign_on_state(sign_on, i);

        if (state.data && (m->firsts[i] == CHANGE || m->firsts[i] == REMOVAL))
            add(user, block + 1, state);
    }
}

/* --- Detecting late sessions --- */

/*
 * True if the capture lacks the level's sign-on, or part of it. If a capture begins between a
 * handshake and its sign-on, or lacks svc_serverinfo, messages of a game come without a level.
 */
static bool dem_is_late(const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (session->undecodable || !decoder->found.accepted)
        return false;
    if (session->base.level)
        return session->base.lost.packet;
    return !session->base.connection ||
           (decoder->found.direction == QS_S2C && dem_needs_level(decoder));
}

/* --- Sign-ons of donors ---------------------------------------------------------------------- */

/*
 * Parts of a session's messages that are its sign-on: all messages that are the same for all
 * clients, from the packet with svc_serverinfo to svc_signonnum 3; and the entities that clients of
 * DP5 to DP8 know: the last full update of each, as a svc_entities of its own. Source:
 * common/quake/PROTOCOL.md, section 9; DarkPlaces, cl_ents5.c EntityFrame5_CL_ReadFrame.
 */

enum {
    STAT_TOTALSECRETS = 11,
    STAT_MONSTERS = 14,
    STAT_MOVEVARS = 220, /* first of DarkPlaces' statistics about movement */
    FRAMES_VERSION = 5,  /* first DarkPlaces version whose svc_entities has changes to frames */
    MOVE_VERSION = 7,    /* first one that adds the number of the client's last move */
    FRAME_SIZE = 4,
    MOVE_SIZE = 4
};

/* True if the statistic is the same for all players. */
static bool is_common_stat(const struct nq_session *session, uint8_t stat)
{
    if (stat >= STAT_MOVEVARS)
        return nq_darkplaces_version(session) != 0;
    return stat >= STAT_TOTALSECRETS && stat <= STAT_MONSTERS;
}

/* True if the message makes its client restart the sign-on; a late session must not do that. */
static bool is_reconnect(struct qs_view message)
{
    return g_strstr_len((const char *)message.data + 1, message.size - 1, "reconnect");
}

/* True if the message is the same for all clients. `first`: it is in the packet of
 * svc_serverinfo. */
static bool is_common(const struct nq_session *session, struct qs_view message, bool first)
{
    const unsigned darkplaces = nq_darkplaces_version(session);
    const uint8_t id = message.data[0];

    switch (id) {
    case SVC_PRINT: /* the server's greeting */
        return first;
    case SVC_STUFFTEXT:
        return !is_reconnect(message);
    case SVC_UPDATESTAT:
        return message.size > 1 && is_common_stat(session, message.data[1]);
    case SVC_VERSION:
    case SVC_SETVIEW:
    case SVC_TIME:
    case SVC_SERVERINFO:
    case SVC_LIGHTSTYLE:
    case SVC_SPAWNSTATIC:
    case SVC_SPAWNSTATIC2:
    case SVC_SPAWNBASELINE:
    case SVC_SPAWNBASELINE2:
    case SVC_SETPAUSE:
    case SVC_SIGNONNUM:
    case SVC_SPAWNSTATICSOUND:
    case SVC_SPAWNSTATICSOUND2:
    case SVC_CDTRACK:
    case SVC_SKYBOX:
    case SVC_FOG:
        return true;
    /* Other servers use these numbers for other messages. */
    case SVCFTE_SPAWNSTATIC2:
    case SVCFTE_SPAWNBASELINE2:
        return nq_has_fte(session);
    case SVC_DP_DOWNLOADDATA: /* Nehahra's skybox, and its fog */
    case SVC_DP_UPDATESTATUBYTE:
        return nq_has_nehahra(session);
    case SVC_DP_PRECACHE:
        return darkplaces == 0 || darkplaces > 3; /* svc_sound2 in DP1 to DP3 */
    case SVC_DP_SPAWNBASELINE2:
    case SVC_LOCALSOUND: /* DarkPlaces' svc_spawnstatic2 */
    case SVC_DP_SPAWNSTATICSOUND2:
        return nq_has_darkplaces(session);
    }
    return is_of_player(id);
}

static void keep_baselines(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    if (!sign_on->extra) {
        sign_on->extra = g_hash_table_new_full(qs_direct_hash, NULL, NULL, g_free);
        sign_on->extra_free = (GDestroyNotify)g_hash_table_unref;
    }
    for (guint i = 0; i < decoder->found.entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->found.entities, struct qs_entity_update, i);

        if (update->kind == QS_ENTITY_BASELINE && update->has)
            g_hash_table_insert(dem_baselines(sign_on), GUINT_TO_POINTER(update->number),
                                g_memdup2(update, sizeof *update));
    }
}

/* Adds the packet's part of the sign-on. If any byte cannot be decoded, the sign-on is broken. */
static void add_sign_on(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;
    const bool first = !sign_on->blocks;

    if (first && !qs_has_message(decoder, SVC_SERVERINFO))
        return;
    sign_on->broken |= qs_decoder_problems(decoder) || session->base.lost.packet;
    sign_on->blocks++;
    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_view message = qs_message_view(qs_message_at(decoder, i));

        if (is_common(session, message, first))
            qs_sign_on_add(sign_on, message);
    }
    keep_baselines(sign_on, decoder);
    if (session->signon == SIGNON_DONE && !sign_on->broken)
        qs_sign_on_complete(sign_on, decoder->protocol, decoder->session);
}

/* --- Entities of DP5 to DP8 --- */

static void keep_update(struct qs_sign_on *sign_on, struct qs_view head,
                        const struct qs_entity_update *update)
{
    GByteArray *bytes = g_byte_array_new();

    qs_write_view(bytes, head);
    qs_write_view(bytes, update->bytes);
    qs_write_u16(bytes, ENTITIES_END);
    qs_sign_on_set_state(sign_on, update->number, qs_view_of_bytes(bytes));
    g_byte_array_free(bytes, TRUE);
}

static void keep_updates(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const unsigned version = nq_darkplaces_version((const struct nq_session *)decoder->session);
    const uint32_t head = 1 + FRAME_SIZE + (version >= MOVE_VERSION ? MOVE_SIZE : 0);

    for (guint i = 0; version >= FRAMES_VERSION && i < decoder->found.entities->len; i++) {
        const struct qs_entity_update *update =
            &g_array_index(decoder->found.entities, struct qs_entity_update, i);

        if (update->kind == QS_ENTITY_FRAME && update->bits & E5_FULLUPDATE &&
            update->message < decoder->found.messages->len)
            keep_update(sign_on,
                        (struct qs_view){qs_message_at(decoder, update->message)->bytes, head},
                        update);
    }
}

/* --- Packets and blocks --- */

bool dem_needs_level(const struct qs_decoder *decoder)
{
    return qs_has_message(decoder, SVC_TIME) || qs_has_message(decoder, SVCFTE_UPDATEENTITIES) ||
           qs_has_message(decoder, SVC_SIGNONNUM) || qs_has_message(decoder, SVC_SPAWNBASELINE);
}

static bool dem_add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (decoder->found.direction != QS_S2C)
        return false;
    if (session->timed)
        qs_sign_on_mark(sign_on, session->delivered.bytes);
    if (sign_on->complete)
        keep_updates(sign_on, decoder);
    else if (session->delivered.bytes.data && decoder->found.messages->len)
        add_sign_on(sign_on, decoder);
    else
        sign_on->broken |= session->base.lost.packet || decoder->found.notes[QS_NOTE_NOT_CAPTURED];
    return qs_has_message(decoder, SVC_TIME) || qs_has_message(decoder, SVCFTE_UPDATEENTITIES);
}

const struct qs_late_join dem_late_join = {
    .any_port = true,
    .add_packet = dem_add_packet,
    .is_late = dem_is_late,
    .match_new = dem_match_new,
    .match_free = dem_match_free,
    .prepare = dem_prepare,
    .observe = dem_observe,
    .judge = dem_judge,
};
