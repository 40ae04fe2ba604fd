/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Quake session that began late borrows: whether a sign-on fits it, which player it is, and
 * the sign-on as its client would have had it. Source: common/quake/PROTOCOL.md, section 9.
 */
#include "common/demo/dem/dem.h"
#include "common/demo/dem/entity_frames.h"
#include "common/demo/dem/late_join.h"
#include "common/quake/constants.h"
#include "common/quake/variant.h"
#include "common/quake/session.h"

enum {
    ENTITIES_MAX = 32768,
    LOOK_AT_MOST = 4000, /* datagrams */
    SLOTS = 256,
    /* Of a hundred updates, none contradicts the right sign-on, 6 that of another server program on
     * the same map, 20 and more that of another map. */
    CONTRADICTIONS_MAX = 3,
    UNREADABLE_MAX = 3, /* of a hundred messages */
    STRANGE_MIN = 3     /* of DarkPlaces' entities */
};

/* A player's entity in the late session. */
struct slot {
    uint32_t updates;
    double yaw_error; /* between its yaw and that of the client's moves, summed */
};

struct dem_match {
    struct qs_donor_match base;
    const struct qs_sign_on *sign_on;
    enum qs_donor_kind kind;
    struct nq_session donor; /* what the sign-on makes known */
    uint64_t lost;           /* packet before which part of its own sign-on is missing; or 0 */
    int32_t version; /* of the late session, where its later levels tell; else the donor's */

    struct qs_entity_update *baselines; /* ENTITIES_MAX; `has` 0: there is none */
    double yaw;                         /* of the client's last move */

    struct slot slots[SLOTS];      /* by entity; 0 is none */
    uint32_t messages, unreadable; /* of either side */
    uint32_t updates, contradictions, unknown_models;
    struct dem_frames frames; /* DarkPlaces' */
    bool timed;
    float time;   /* of the first svc_time */
    uint8_t slot; /* the player's own, after refusal(); 0: not known */
};

/* --- What is told of entities --- */

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

static void see_player(struct dem_match *m, uint32_t entity, double yaw)
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

    if (!baseline->has)
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
    const struct qs_entity_update *baseline;

    if (update->number >= ENTITIES_MAX)
        return;
    baseline = &m->baselines[update->number];
    see_player(m, update->number, update->has & QS_ENTITY_YAW ? update->yaw : baseline->yaw);
    if (update->number <= m->donor.maxclients)
        return; /* players' baselines are much the same on all maps */
    m->updates++;
    m->contradictions += contradicts(update, baseline);
}

static void see_late(struct dem_match *m, const struct qs_entity_update *update)
{
    if (update->kind != QS_ENTITY_UPDATE && update->kind != QS_ENTITY_FRAME)
        return;
    m->unknown_models += update->has & QS_ENTITY_MODEL && !has_model(m, update->model);
    if (update->kind == QS_ENTITY_UPDATE) {
        judge_update(m, update);
        return;
    }
    dem_frames_see_late(&m->frames, update);
    if (update->has & QS_ENTITY_YAW)
        see_player(m, update->number, update->yaw);
}

static void see_lent(struct dem_match *m, const struct qs_entity_update *update)
{
    if (update->kind == QS_ENTITY_BASELINE && update->number < ENTITIES_MAX)
        m->baselines[update->number] = *update;
    else if (update->kind == QS_ENTITY_FRAME)
        dem_frames_see_lent(&m->frames, update);
}

static void see_entities(struct dem_match *m, const struct qs_decoder *decoder,
                         void (*see)(struct dem_match *, const struct qs_entity_update *))
{
    for (guint i = 0; i < decoder->entities->len; i++)
        see(m, &g_array_index(decoder->entities, struct qs_entity_update, i));
}

/* --- Learning the sign-on --- */

static bool is_of_players(uint8_t id)
{
    return id == SVC_UPDATENAME || id == SVC_UPDATEFRAGS || id == SVC_UPDATECOLORS;
}

/* Decodes the sign-on as one message. */
static void learn(struct dem_match *m)
{
    GByteArray *bytes = g_byte_array_new();
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};
    struct qs_decoder decoder;

    qs_sign_on_append(bytes, m->sign_on, m->kind, is_of_players);
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    qs_decoder_init(&decoder, &nq_protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    qs_decode_server_messages(&decoder, &m->donor.base, NULL, &packet);
    see_entities(m, &decoder, see_lent);
    qs_decoder_clear(&decoder);
    nq_session_forget_packet(&m->donor.base);
    g_byte_array_free(bytes, TRUE);
}

static struct qs_donor_match *dem_match_new(const struct qs_sign_on *sign_on,
                                            enum qs_donor_kind kind)
{
    struct dem_match *m = g_new0(struct dem_match, 1);

    m->base.unknown = g_string_new(NULL);
    m->sign_on = sign_on;
    m->kind = kind;
    m->baselines = g_new0(struct qs_entity_update, ENTITIES_MAX);
    dem_frames_init(&m->frames);
    nq_protocol.session_init(&m->donor.base);
    learn(m);
    return &m->base;
}

static void dem_match_free(struct qs_donor_match *match)
{
    struct dem_match *m = (struct dem_match *)match;

    nq_protocol.session_clear(&m->donor.base);
    g_string_free(m->base.unknown, TRUE);
    g_free(m->baselines);
    dem_frames_clear(&m->frames);
    g_free(m);
}

/* A sign-on of protocol 15 is one of FitzQuake's, but for the number. */
static bool is_widened(const struct dem_match *m)
{
    return m->donor.base.version == PROTOCOL_NETQUAKE && m->version == PROTOCOL_FITZQUAKE;
}

static void dem_prepare(struct qs_donor_match *match, struct qs_session *session,
                        const struct qs_session *known)
{
    struct dem_match *m = (struct dem_match *)match;

    m->version = known->version ? known->version : m->donor.base.version;
    m->lost = ((struct nq_session *)session)->sign_on_lost;
    nq_session_borrow((struct nq_session *)session, &m->donor);
    ((struct nq_session *)session)->view_entity = m->slot;
    if (is_widened(m))
        session->version = m->version;
}

/* --- Looking --- */

static bool dem_observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    struct dem_match *m = (struct dem_match *)match;
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    see_entities(m, decoder, see_late);
    if (session->timed && !m->timed)
        m->time = session->time;
    m->timed |= session->timed;
    if (session->moved)
        m->yaw = session->move.yaw;
    m->messages += decoder->messages->len != 0;
    m->unreadable += decoder->messages->len && qs_decoder_problems(decoder);
    return m->messages < LOOK_AT_MOST;
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

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

/* DarkPlaces' changes to entities are to what the client has: PROTOCOL.md, section 9. */
static void say_unknown(struct dem_match *m)
{
    GString *unknown = m->base.unknown;

    if (m->kind == QS_DONOR_OTHER)
        g_string_append(unknown, "the names, frags and colors of players, until they change");
    if (nq_darkplaces_version(&m->donor))
        g_string_append_printf(unknown, "%sentities that were in view, until they are mentioned",
                               unknown->len ? "; " : "");
}

static char *dem_judge(struct qs_donor_match *match)
{
    struct dem_match *m = (struct dem_match *)match;

    m->slot = find_slot(m);
    m->base.proof = m->updates - m->contradictions + m->frames.agreements;
    say_unknown(m);
    if (m->version != m->donor.base.version && !is_widened(m))
        return g_strdup_printf("its protocol is %d, that of the session %d", m->donor.base.version,
                               m->version);
    if (is_more_than(m->unreadable, m->messages, UNREADABLE_MAX))
        return g_strdup_printf("its protocol is %d, and %u of %u messages of the session are not "
                               "of that",
                               m->donor.base.version, m->unreadable, m->messages);
    if (m->unknown_models)
        return g_strdup("the session has models that are not in its list");
    if (is_more_than(m->contradictions, m->updates, CONTRADICTIONS_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or server program",
                               m->contradictions, m->updates);
    if (m->frames.contradictions >= STRANGE_MIN && m->frames.contradictions > m->frames.agreements)
        return g_strdup_printf("%u of %u entities are not as it has them: it is of another map or "
                               "game",
                               m->frames.contradictions,
                               m->frames.agreements + m->frames.contradictions);
    if (!m->slot)
        return g_strdup("nothing of the game shows which player the session is");
    return NULL;
}

/* --- Lending --- */

static struct qs_view own_view(const struct dem_match *m, uint8_t *bytes)
{
    bytes[0] = SVC_SETVIEW;
    bytes[1] = m->slot;
    bytes[2] = 0;
    return (struct qs_view){bytes, 3};
}

/* Appends svc_serverinfo with the session's protocol, where that is another. */
static void add_serverinfo(const struct dem_match *m, uint32_t block, struct qs_view lent,
                           dem_add_message *add, void *user)
{
    uint8_t *bytes = g_memdup2(lent.data, lent.size);

    for (unsigned i = 0; is_widened(m) && i < 4; i++)
        bytes[1 + i] = (uint8_t)((uint32_t)m->version >> 8 * i);
    add(user, block, (struct qs_view){bytes, lent.size});
    g_free(bytes);
}

/* FTE's extensions put more behind the number. */
static struct qs_view own_time(const struct dem_match *m, struct qs_view lent, uint8_t *bytes)
{
    const uint32_t bits = qs_bits_of_float(m->time);

    memcpy(bytes, lent.data, lent.size);
    for (unsigned i = 0; m->timed && i < 4; i++)
        bytes[1 + i] = (uint8_t)(bits >> 8 * i);
    return (struct qs_view){bytes, lent.size};
}

static void add_lent(const struct dem_match *m, const struct qs_sign_on_message *told,
                     dem_add_message *add, void *user)
{
    struct qs_view message = told->bytes;
    uint8_t own[8];

    if (message.data[0] == SVC_SERVERINFO) {
        add_serverinfo(m, told->block, message, add, user);
        return;
    }
    if (message.data[0] == SVC_SETVIEW)
        message = own_view(m, own);
    else if (message.data[0] == SVC_TIME && message.size <= sizeof own)
        message = own_time(m, message, own);
    add(user, told->block, message);
}

/* What was in view comes behind the sign-on: `frames`. */
static void add_part(const struct dem_match *m, bool frames, dem_add_message *add, void *user)
{
    const GPtrArray *messages = qs_sign_on_messages(m->sign_on);

    for (guint i = 0; i < messages->len; i++) {
        const struct qs_sign_on_message *told = g_ptr_array_index(messages, i);
        bool wanted = false;
        const bool kept =
            dem_has_frames(&m->donor) &&
            dem_frames_is_kept(&m->frames, told->bytes, nq_darkplaces_version(&m->donor), &wanted);

        if (kept != frames || !qs_sign_on_applies(told, m->kind, is_of_players))
            continue;
        if (!kept)
            add_lent(m, told, add, user);
        else if (wanted)
            add(user, told->block + 1, told->bytes);
    }
}

void dem_match_messages(const struct qs_donor_match *match, dem_add_message *add, void *user)
{
    const struct dem_match *m = (const struct dem_match *)match;

    add_part(m, false, add, user);
    add_part(m, true, add, user);
}

uint64_t dem_match_lost(const struct qs_donor_match *match)
{
    return ((const struct dem_match *)match)->lost;
}

/* --- The record --- */

/*
 * A capture may begin between a handshake and its sign-on, or lack the message with svc_serverinfo:
 * then the game goes on without a level.
 */
static bool dem_is_late(const struct qs_decoder *decoder)
{
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    if (session->undecodable || !decoder->accepted)
        return false;
    if (session->base.level)
        return session->sign_on_lost;
    return !session->base.connection || (decoder->direction == QS_S2C && dem_needs_level(decoder));
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
