/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Quake session that began late borrows: whether a sign-on fits it, which player it is, and
 * the sign-on as its client would have had it. Source: common/quake/PROTOCOL.md, section 9.
 */
#include "common/demo/dem/dem.h"
#include "common/demo/dem/frames.h"
#include "common/demo/dem/lend.h"
#include "common/quake/constants.h"
#include "common/quake/dialect.h"
#include "common/quake/quake.h"
#include "common/core/findings.h"

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

struct borrower {
    struct qs_borrower base;
    const struct qs_sign_on *sign_on;
    enum qs_lender_kind kind;
    struct nq_session lent; /* what the sign-on makes known */
    uint64_t lost;          /* packet before which part of its own sign-on is missing; or 0 */
    int32_t version; /* of the late session, where its later levels tell; else the lender's */

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

static void see_player(struct borrower *b, uint32_t entity, double yaw)
{
    if (entity < 1 || entity > b->lent.maxclients)
        return;
    b->slots[entity].updates++;
    b->slots[entity].yaw_error += turn_between(yaw, b->yaw);
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

static bool has_model(const struct borrower *b, uint32_t model)
{
    return !model || qs_table_get(&b->lent.models, model);
}

static void judge_update(struct borrower *b, const struct qs_entity_update *update)
{
    const struct qs_entity_update *baseline;

    if (update->number >= ENTITIES_MAX)
        return;
    baseline = &b->baselines[update->number];
    see_player(b, update->number, update->has & QS_ENTITY_YAW ? update->yaw : baseline->yaw);
    if (update->number <= b->lent.maxclients)
        return; /* players' baselines are much the same on all maps */
    b->updates++;
    b->contradictions += contradicts(update, baseline);
}

static void see_late(struct borrower *b, const struct qs_entity_update *update)
{
    if (update->kind != QS_ENTITY_UPDATE && update->kind != QS_ENTITY_FRAME)
        return;
    b->unknown_models += update->has & QS_ENTITY_MODEL && !has_model(b, update->model);
    if (update->kind == QS_ENTITY_UPDATE) {
        judge_update(b, update);
        return;
    }
    dem_frames_see_late(&b->frames, update);
    if (update->has & QS_ENTITY_YAW)
        see_player(b, update->number, update->yaw);
}

static void see_lent(struct borrower *b, const struct qs_entity_update *update)
{
    if (update->kind == QS_ENTITY_BASELINE && update->number < ENTITIES_MAX)
        b->baselines[update->number] = *update;
    else if (update->kind == QS_ENTITY_FRAME)
        dem_frames_see_lent(&b->frames, update);
}

static void see_entities(struct borrower *b, const struct qs_decoder *decoder,
                         void (*see)(struct borrower *, const struct qs_entity_update *))
{
    for (guint i = 0; i < decoder->entities->len; i++)
        see(b, &g_array_index(decoder->entities, struct qs_entity_update, i));
}

/* --- Learning the sign-on --- */

static bool is_of_players(uint8_t id)
{
    return id == SVC_UPDATENAME || id == SVC_UPDATEFRAGS || id == SVC_UPDATECOLORS;
}

/* Decodes the sign-on as one message. */
static void learn(struct borrower *b)
{
    GByteArray *bytes = g_byte_array_new();
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};
    struct qs_decoder decoder;

    qs_sign_on_join(bytes, b->sign_on, b->kind, is_of_players);
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    qs_decoder_init(&decoder, &nq_protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    qs_decode_server_messages(&decoder, &b->lent.base, NULL, &packet);
    see_entities(b, &decoder, see_lent);
    qs_decoder_clear(&decoder);
    nq_session_forget_packet(&b->lent.base);
    g_byte_array_free(bytes, TRUE);
}

static struct qs_borrower *dem_borrow(const struct qs_sign_on *sign_on, enum qs_lender_kind kind)
{
    struct borrower *b = g_new0(struct borrower, 1);

    b->base.unknown = g_string_new(NULL);
    b->sign_on = sign_on;
    b->kind = kind;
    b->baselines = g_new0(struct qs_entity_update, ENTITIES_MAX);
    dem_frames_init(&b->frames);
    nq_protocol.session_init(&b->lent.base);
    learn(b);
    return &b->base;
}

static void dem_borrower_free(struct qs_borrower *borrower)
{
    struct borrower *b = (struct borrower *)borrower;

    nq_protocol.session_clear(&b->lent.base);
    g_string_free(b->base.unknown, TRUE);
    g_free(b->baselines);
    dem_frames_clear(&b->frames);
    g_free(b);
}

/* A sign-on of protocol 15 is one of FitzQuake's, but for the number. */
static bool is_widened(const struct borrower *b)
{
    return b->lent.base.version == PROTOCOL_NETQUAKE && b->version == PROTOCOL_FITZQUAKE;
}

static void dem_seed(struct qs_borrower *borrower, struct qs_session *session,
                     const struct qs_session *known)
{
    struct borrower *b = (struct borrower *)borrower;

    b->version = known->version ? known->version : b->lent.base.version;
    b->lost = ((struct nq_session *)session)->sign_on_lost;
    nq_session_borrow((struct nq_session *)session, &b->lent);
    ((struct nq_session *)session)->view_entity = b->slot;
    if (is_widened(b))
        session->version = b->version;
}

/* --- Looking --- */

static bool dem_look(struct qs_borrower *borrower, const struct qs_decoder *decoder)
{
    struct borrower *b = (struct borrower *)borrower;
    const struct nq_session *session = (const struct nq_session *)decoder->session;

    see_entities(b, decoder, see_late);
    if (session->timed && !b->timed)
        b->time = session->time;
    b->timed |= session->timed;
    if (session->moved)
        b->yaw = session->move.yaw;
    b->messages += decoder->messages->len != 0;
    b->unreadable += decoder->messages->len && qs_decoder_problems(decoder);
    return b->messages < LOOK_AT_MOST;
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
static uint8_t find_slot(const struct borrower *b)
{
    uint32_t most = 0;
    uint8_t best = 0;

    for (unsigned i = 1; i < SLOTS; i++)
        most = MAX(most, b->slots[i].updates);
    for (unsigned i = 1; most && i < SLOTS; i++)
        if (b->slots[i].updates >= most - most / 50 &&
            (!best || mean_error(&b->slots[i]) < mean_error(&b->slots[best])))
            best = (uint8_t)i;
    return best;
}

static bool is_more_than(uint32_t part, uint32_t whole, unsigned hundredths)
{
    return (uint64_t)part * 100 > (uint64_t)whole * hundredths;
}

/* DarkPlaces' changes to entities are to what the client has: PROTOCOL.md, section 9. */
static void say_unknown(struct borrower *b)
{
    GString *unknown = b->base.unknown;

    if (b->kind == QS_LENDER_OTHER)
        g_string_append(unknown, "the names, frags and colors of players, until they change");
    if (nq_darkplaces_version(&b->lent))
        g_string_append_printf(unknown, "%sentities that were in view, until they are mentioned",
                               unknown->len ? "; " : "");
}

static char *dem_refusal(struct qs_borrower *borrower)
{
    struct borrower *b = (struct borrower *)borrower;

    b->slot = find_slot(b);
    b->base.proof = b->updates - b->contradictions + b->frames.agreements;
    say_unknown(b);
    if (b->version != b->lent.base.version && !is_widened(b))
        return g_strdup_printf("its protocol is %d, that of the session %d", b->lent.base.version,
                               b->version);
    if (is_more_than(b->unreadable, b->messages, UNREADABLE_MAX))
        return g_strdup_printf("its protocol is %d, and %u of %u messages of the session are not "
                               "of that",
                               b->lent.base.version, b->unreadable, b->messages);
    if (b->unknown_models)
        return g_strdup("the session has models that are not in its list");
    if (is_more_than(b->contradictions, b->updates, CONTRADICTIONS_MAX))
        return g_strdup_printf("%u of %u entities contradict its baselines: it is of another map "
                               "or server program",
                               b->contradictions, b->updates);
    if (b->frames.contradictions >= STRANGE_MIN && b->frames.contradictions > b->frames.agreements)
        return g_strdup_printf("%u of %u entities are not as it has them: it is of another map or "
                               "game",
                               b->frames.contradictions,
                               b->frames.agreements + b->frames.contradictions);
    if (!b->slot)
        return g_strdup("nothing of the game shows which player the session is");
    return NULL;
}

/* --- Lending --- */

static struct qs_view own_view(const struct borrower *b, uint8_t *bytes)
{
    bytes[0] = SVC_SETVIEW;
    bytes[1] = b->slot;
    bytes[2] = 0;
    return (struct qs_view){bytes, 3};
}

/* Appends svc_serverinfo with the session's protocol, where that is another. */
static void add_serverinfo(const struct borrower *b, uint32_t block, struct qs_view lent,
                           dem_add_lent *add, void *user)
{
    uint8_t *bytes = g_memdup2(lent.data, lent.size);

    for (unsigned i = 0; is_widened(b) && i < 4; i++)
        bytes[1 + i] = (uint8_t)((uint32_t)b->version >> 8 * i);
    add(user, block, (struct qs_view){bytes, lent.size});
    g_free(bytes);
}

/* FTE's extensions put more behind the number. */
static struct qs_view own_time(const struct borrower *b, struct qs_view lent, uint8_t *bytes)
{
    const uint32_t bits = qs_bits_of_float(b->time);

    memcpy(bytes, lent.data, lent.size);
    for (unsigned i = 0; b->timed && i < 4; i++)
        bytes[1 + i] = (uint8_t)(bits >> 8 * i);
    return (struct qs_view){bytes, lent.size};
}

static void add_lent(const struct borrower *b, const struct qs_told *told, dem_add_lent *add,
                     void *user)
{
    struct qs_view message = told->bytes;
    uint8_t own[8];

    if (message.data[0] == SVC_SERVERINFO) {
        add_serverinfo(b, told->block, message, add, user);
        return;
    }
    if (message.data[0] == SVC_SETVIEW)
        message = own_view(b, own);
    else if (message.data[0] == SVC_TIME && message.size <= sizeof own)
        message = own_time(b, message, own);
    add(user, told->block, message);
}

/* What was in view comes behind the sign-on: `frames`. */
static void add_part(const struct borrower *b, bool frames, dem_add_lent *add, void *user)
{
    const GPtrArray *messages = qs_sign_on_messages(b->sign_on);

    for (guint i = 0; i < messages->len; i++) {
        const struct qs_told *told = g_ptr_array_index(messages, i);
        bool wanted = false;
        const bool kept =
            dem_has_frames(&b->lent) &&
            dem_frames_is_kept(&b->frames, told->bytes, nq_darkplaces_version(&b->lent), &wanted);

        if (kept != frames || !qs_told_is_lent(told, b->kind, is_of_players))
            continue;
        if (!kept)
            add_lent(b, told, add, user);
        else if (wanted)
            add(user, told->block + 1, told->bytes);
    }
}

void dem_lent_messages(const struct qs_borrower *borrower, dem_add_lent *add, void *user)
{
    const struct borrower *b = (const struct borrower *)borrower;

    add_part(b, false, add, user);
    add_part(b, true, add, user);
}

uint64_t dem_lent_lost(const struct qs_borrower *borrower)
{
    return ((const struct borrower *)borrower)->lost;
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

const struct qs_demo_lending dem_lending = {
    .any_port = true,
    .tell = dem_tell,
    .is_late = dem_is_late,
    .borrow = dem_borrow,
    .free = dem_borrower_free,
    .seed = dem_seed,
    .look = dem_look,
    .refusal = dem_refusal,
};
