/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Quake session that the capture joined late, and a donor: whether they match, which player the
 * session is, and the sign-on as its client would have had it. Source: common/quake/PROTOCOL.md,
 * section 9.
 */
#include "common/demo/dem/late_join.h"
#include "common/quake/constants.h"
#include "common/quake/session.h"

enum {
    ENTITIES_MAX = 32768,
    LOOK_AT_MOST = 4000, /* datagrams */
    ENTITY_PROOF = 3,    /* of an entity: up to five agreed with donors of other maps */
    SLOTS = 256
};

/* Of a hundred updates, none contradicts the right sign-on, 6 that of another server program on the
 * same map, 20 and more that of another map. States: DarkPlaces' entities. */
static const struct qs_evidence_limit limits[] = {
    {QS_EVIDENCE_PACKETS, 1, 3},
    {QS_EVIDENCE_MODELS, 1, 0},
    {QS_EVIDENCE_BASELINES, 1, 3},
    {QS_EVIDENCE_STATES, 3, 50},
};

/* A player's entity in the late session. */
struct slot {
    uint32_t updates;
    double yaw_error; /* between its yaw and that of the client's moves, summed */
};

struct dem_match {
    struct qs_donor_match base;
    struct nq_session donor; /* what the sign-on makes known */

    GHashTable *baselines; /* number to struct qs_entity_update */
    double yaw;            /* of the client's last move */

    struct slot slots[SLOTS];          /* by entity; 0 is none */
    bool seen[ENTITIES_MAX];           /* entities that agree with their baseline, */
    uint32_t agreeing;                 /* so many, without players */
    uint32_t packets;                  /* of either side, with messages */
    struct dem_frame_entity *entities; /* DarkPlaces', by number */
    bool timed;
    float time;   /* of the first svc_time */
    uint8_t slot; /* the player's own, after judge(); 0: not known */
};

/* --- Updates of entities --- */

/* In degrees, at most 180; so too where an angle is no number. */
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
    if (entity < 1 || entity > m->donor.maxclients)
        return;
    m->slots[entity].updates++;
    m->slots[entity].yaw_error += turn_between(yaw, m->yaw);
}

/*
 * A server sends only what differs from the baseline (PROTOCOL.md, section 9): an update that
 * repeats it, or leaves the model to a baseline without one, is of another baseline.
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

static bool has_model(const struct dem_match *m, uint32_t model)
{
    return !model || qs_table_get(&m->donor.models, model);
}

static void judge_update(struct dem_match *m, const struct qs_entity_update *update)
{
    const struct qs_entity_update *baseline, *turned;
    bool agrees;

    if (update->number >= ENTITIES_MAX)
        return;
    baseline = g_hash_table_lookup(m->baselines, GUINT_TO_POINTER(update->number));
    turned = update->has & QS_ENTITY_YAW ? update : baseline;
    observe_player(m, update->number, turned ? turned->yaw : 0);
    if (update->number <= m->donor.maxclients)
        return; /* players' baselines are much the same on all maps */
    agrees = !contradicts(update, baseline);
    qs_donor_match_note(&m->base, QS_EVIDENCE_BASELINES, agrees);
    agrees &= baseline && !m->seen[update->number];
    m->seen[update->number] |= agrees;
    m->agreeing += agrees;
}

static void observe_update(struct dem_match *m, const struct qs_entity_update *update)
{
    if (update->kind != QS_ENTITY_UPDATE && update->kind != QS_ENTITY_FRAME)
        return;
    if (update->has & QS_ENTITY_MODEL)
        qs_donor_match_note(&m->base, QS_EVIDENCE_MODELS, has_model(m, update->model));
    if (update->kind == QS_ENTITY_UPDATE) {
        judge_update(m, update);
        return;
    }
    dem_frames_observe(m->entities, &m->base, update);
    if (update->has & QS_ENTITY_YAW)
        observe_player(m, update->number, update->yaw);
}

static void learn_update(struct dem_match *m, const struct qs_entity_update *update)
{
    if (update->kind == QS_ENTITY_BASELINE && update->has)
        g_hash_table_insert(m->baselines, GUINT_TO_POINTER(update->number),
                            g_memdup2(update, sizeof *update));
    else if (update->kind == QS_ENTITY_FRAME)
        dem_frames_learn(m->entities, update);
}

/* --- The donor --- */

static bool is_of_players(uint8_t id)
{
    return id == SVC_UPDATENAME || id == SVC_UPDATEFRAGS || id == SVC_UPDATECOLORS;
}

/* Decodes the sign-on as one message. */
static void learn(struct dem_match *m)
{
    GByteArray *bytes = g_byte_array_new();
    struct qs_decoder decoder;

    qs_decoder_init(&decoder, &nq_protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    qs_sign_on_decode(m->base.sign_on, m->base.kind, is_of_players, &decoder, &m->donor.base,
                      bytes);
    for (guint i = 0; i < decoder.entities->len; i++)
        learn_update(m, &g_array_index(decoder.entities, struct qs_entity_update, i));
    qs_decoder_clear(&decoder);
    nq_session_forget_packet(&m->donor.base);
    g_byte_array_free(bytes, TRUE);
}

static struct qs_donor_match *dem_match_new(const struct qs_sign_on *sign_on,
                                            enum qs_donor_kind kind)
{
    struct dem_match *m = g_new0(struct dem_match, 1);

    qs_donor_match_init(&m->base, sign_on, kind);
    m->baselines = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    m->entities = g_new0(struct dem_frame_entity, DEM_FRAME_ENTITIES);
    nq_protocol.session_init(&m->donor.base);
    learn(m);
    return &m->base;
}

static void dem_match_free(struct qs_donor_match *match)
{
    struct dem_match *m = (struct dem_match *)match;

    nq_protocol.session_clear(&m->donor.base);
    qs_donor_match_clear(&m->base);
    g_hash_table_destroy(m->baselines);
    g_free(m->entities);
    g_free(m);
}

/* A sign-on of protocol 15 equals one of FitzQuake's, except for the number. */
static bool is_widened(const struct dem_match *m)
{
    return m->donor.base.version == PROTOCOL_NETQUAKE && m->base.version == PROTOCOL_FITZQUAKE;
}

static void dem_prepare(struct qs_donor_match *match, struct qs_session *session,
                        const struct qs_session *known)
{
    struct dem_match *m = (struct dem_match *)match;

    m->base.version = known->version ? known->version : m->donor.base.version;
    match->loss = session->lost;
    match->lacks = match->loss.packet ? QS_LACKS_PART : QS_LACKS_START;
    nq_session_use_donor((struct nq_session *)session, &m->donor);
    ((struct nq_session *)session)->view_entity = m->slot;
    if (is_widened(m))
        session->version = m->base.version;
}

/* --- The late session --- */

static bool dem_observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    struct dem_match *m = (struct dem_match *)match;
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    for (guint i = 0; i < decoder->entities->len; i++)
        observe_update(m, &g_array_index(decoder->entities, struct qs_entity_update, i));
    if (session->timed && !m->timed)
        m->time = session->time;
    m->timed |= session->timed;
    if (session->moved)
        m->yaw = session->move.yaw;
    if (decoder->messages->len) {
        qs_donor_match_note(&m->base, QS_EVIDENCE_PACKETS, !qs_decoder_problems(decoder));
        m->packets++;
    }
    return m->packets < LOOK_AT_MOST;
}

static double mean_error(const struct slot *slot)
{
    return slot->yaw_error / slot->updates;
}

/*
 * The player's own entity is in every datagram, whatever the player sees
 * (SV_WriteEntitiesToClient); where others are as well, it is the one that looks where the client
 * does.
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
    return best;
}

static char *dem_judge(struct qs_donor_match *match)
{
    struct dem_match *m = (struct dem_match *)match;
    const int32_t donor_version = is_widened(m) ? match->version : m->donor.base.version;
    const struct qs_evidence *evidence = match->evidence;
    char *refusal;

    m->slot = find_slot(m);
    match->proof = ENTITY_PROOF * m->agreeing + evidence[QS_EVIDENCE_STATES].agree;
    qs_donor_match_unknown(match, match->kind == QS_DONOR_OTHER,
                           "the names, frags and colors of players, until they change");
    /* DarkPlaces' changes to entities are to what the client has: PROTOCOL.md, section 9. */
    qs_donor_match_unknown(match, nq_darkplaces_version(&m->donor),
                           "entities that were in view, until they are mentioned");
    refusal = qs_donor_match_refusal(match, donor_version, limits, G_N_ELEMENTS(limits));
    if (!refusal && !m->slot)
        refusal = g_strdup("nothing of the game shows which player the session is");
    return refusal;
}

/* --- The sign-on that the demo gets --- */

/* The message with the session's own protocol, time and view. FTE's extensions put more behind the
 * numbers. */
static void add_own(const struct dem_match *m, uint32_t block, struct qs_view message,
                    dem_add_message *add, void *user)
{
    uint8_t *bytes = g_memdup2(message.data, message.size);
    const bool versioned = bytes[0] == SVC_SERVERINFO && is_widened(m);
    const bool timed = bytes[0] == SVC_TIME && m->timed;
    const uint32_t word = timed ? qs_bits_of_float(m->time) : (uint32_t)m->base.version;

    for (uint32_t i = 0; (versioned || timed) && i < 4 && i + 1 < message.size; i++)
        bytes[1 + i] = (uint8_t)(word >> 8 * i);
    if (bytes[0] == SVC_SETVIEW && message.size == 3) {
        bytes[1] = m->slot;
        bytes[2] = 0;
    }
    add(user, block, (struct qs_view){bytes, message.size});
    g_free(bytes);
}

/* What was in view comes behind the sign-on: `frames`. */
static void add_part(const struct dem_match *m, bool frames, dem_add_message *add, void *user)
{
    const struct qs_sign_on *sign_on = m->base.sign_on;

    for (guint i = 0; i < qs_sign_on_count(sign_on); i++) {
        const struct qs_sign_on_message message = qs_sign_on_at(sign_on, i);
        bool wanted = false;
        const bool kept = dem_has_frames(&m->donor) &&
                          dem_frames_is_kept(m->entities, message.bytes,
                                             nq_darkplaces_version(&m->donor), &wanted);

        if (kept != frames || !qs_sign_on_applies(message.bytes, m->base.kind, is_of_players))
            continue;
        if (!kept)
            add_own(m, message.block, message.bytes, add, user);
        else if (wanted)
            add(user, message.block + 1, message.bytes);
    }
}

void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user)
{
    const struct dem_match *m = (const struct dem_match *)match;

    add_part(m, false, add, user);
    add_part(m, true, add, user);
}

/* --- The record --- */

/*
 * A capture may begin between a handshake and its sign-on, or lack the message with svc_serverinfo:
 * then the game continues without a level.
 */
static bool dem_is_late(const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (session->undecodable || !decoder->accepted)
        return false;
    if (session->base.level)
        return session->base.lost.packet;
    return !session->base.connection || (decoder->direction == QS_S2C && dem_needs_level(decoder));
}

const struct qs_late_join dem_late_join = {
    .any_port = true,
    .demo_proof = QS_DONOR_PROOF,
    .add_packet = dem_add_packet,
    .is_late = dem_is_late,
    .match_new = dem_match_new,
    .match_free = dem_match_free,
    .prepare = dem_prepare,
    .observe = dem_observe,
    .judge = dem_judge,
};
