/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What late sessions get of a donor, and which of it they do not: players, statistics, places. */
#include "tests/unit/unit.h"

#include <string.h>

#include "common/demo/dem/dem.h"
#include "common/demo/dm2/dm2.h"
#include "common/demo/qwd/late_join.h"
#include "common/quake2/session.h"
#include "common/quakeworld/session.h"

/* --- QuakeWorld --- */

enum { PLAYER = 3, RECORDER = 7, ENTITY = 40, PLAYER_AT = 12 /* in svc_serverdata */ };

/* svc_serverdata of protocol 28, of player 0. */
#define SERVERDATA "\x0b\x1c\0\0\0\1\0\0\0qw\0\0L\0"

struct late {
    struct qw_session donor;
    struct qwd_view view;
    struct qs_sign_on *sign_on;
    struct qs_donor_match *match;
};

static void no_free(gpointer view)
{
    (void)view;
}

static void begin_match(struct late *late, enum qs_donor_kind kind)
{
    late->sign_on = qs_sign_on_new();
    late->sign_on->blocks++;
    qs_sign_on_add(late->sign_on, VIEW(SERVERDATA));
    late->sign_on->extra = &late->view;
    late->sign_on->extra_free = no_free;
    qs_sign_on_complete(late->sign_on, &qw_protocol, &late->donor.base);
    late->match = qwd_late_join.match_new(late->sign_on, kind);
}

static void start(struct late *late)
{
    qw_protocol.session_init(&late->donor.base);
    qs_sights_init(&late->view.sights);
}

static void end(struct late *late)
{
    qwd_late_join.match_free(late->match);
    qs_sign_on_free(late->sign_on);
    qs_sights_clear(&late->view.sights);
    g_free(late->view.baselines);
    qw_protocol.session_clear(&late->donor.base);
}

static void append(void *bytes, struct qs_view message)
{
    g_byte_array_append(bytes, message.data, message.size);
}

/* The client's player in the demo's svc_serverdata; its upper bit marks a spectator. */
TEST(late_session_plays_or_watches_as_its_player_does)
{
    static const struct {
        enum qs_donor_kind kind;
        const char *userinfo; /* of the player, as the donor knows it */
        uint8_t recorder;     /* the donor's own player, a spectator */
        uint8_t expected;
    } rows[] = {{QS_DONOR_CLIENT, "\\name\\x\\*spectator\\1", RECORDER, 0x80 | PLAYER},
                {QS_DONOR_CLIENT, "\\name\\x", RECORDER, PLAYER},
                {QS_DONOR_DEMO, "\\name\\x", RECORDER, PLAYER},
                {QS_DONOR_DEMO, "\\name\\x", PLAYER, 0x80 | PLAYER}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        struct late late = {0};

        start(&late);
        late.donor.player = rows[i].recorder;
        late.donor.spectator = true;
        qs_table_set(&late.donor.userinfo, PLAYER, qs_view_of(rows[i].userinfo));
        begin_match(&late, rows[i].kind);
        qwd_players_observe(&qwd_match_of(late.match)->players, PLAYER, false);
        qwd_late_join.judge(late.match);
        qwd_match_messages(late.match, append, bytes);
        assert_int_equal(bytes->data[PLAYER_AT], rows[i].expected);
        end(&late);
    }
}

/* Of an entity that was in view before the first update, and changes in it. */
TEST(entity_stands_where_it_came_into_the_donors_view)
{
    const uint32_t base = 1;
    struct qw_entity baseline = {.number = ENTITY, .known = UINT32_MAX}, seen = baseline;
    struct late late = {0};
    struct qwd_match *match;

    start(&late);
    memset(baseline.bytes, 1, sizeof baseline.bytes);
    memset(seen.bytes, 2, sizeof seen.bytes);
    late.view.baselines = qw_states_set(NULL, &baseline);
    begin_match(&late, QS_DONOR_CLIENT);
    match = qwd_match_of(late.match);
    g_array_append_val(match->bases, base);
    g_hash_table_insert(match->firsts, GUINT_TO_POINTER(ENTITY), g_new0(struct qwd_first, 1));
    qwd_find_states(match);
    assert_int_equal(qw_states_find(match->states, ENTITY)->bytes[0], 1);
    qs_sign_on_set_state(late.sign_on, ENTITY, (struct qs_view){(uint8_t *)&seen, sizeof seen});
    qwd_find_states(match);
    assert_int_equal(qw_states_find(match->states, ENTITY)->bytes[0], 2);
    end(&late);
}

/* --- Quake II --- */

TEST(message_has_the_time_of_each_statistic)
{
    struct qs_sign_on *sign_on = qs_sign_on_new();
    struct qs_donor_match *match;
    struct q2_session donor;

    q2_protocol.session_init(&donor.base);
    qs_sign_on_complete(sign_on, &q2_protocol, &donor.base);
    match = dm2_late_join.match_new(sign_on, QS_DONOR_CLIENT);
    ((struct dm2_match *)match)->sent[STAT_HEALTH] = 50;
    ((struct dm2_match *)match)->sent[STAT_ARMOR] = 700;
    dm2_late_join.judge(match);
    assert_string_equal(match->unknown->str,
                        "the player's state and statistics, until they change (health 0:05, "
                        "ammunition never, armor 1:10, frags never)");
    dm2_late_join.match_free(match);
    qs_sign_on_free(sign_on);
    q2_protocol.session_clear(&donor.base);
}

/* --- Quake --- */

/* A reliable message of all fragments, behind a header with its length. */
#define RELIABLE(length, sequence) "\0\x09\0" length "\0\0\0" sequence
#define SERVERINFO "\x0b\x0f\0\0\0\1\0L\0m\0\0s\0\0"
#define STAT(number) "\3" number "\5\0\0\0"

static void add_packet(struct qs_sign_on *sign_on, struct qs_decoder *decoder,
                       struct qs_session *session, struct qs_view bytes)
{
    const struct qs_packet packet = {.data = bytes.data,
                                     .size = bytes.size,
                                     .wire_size = bytes.size,
                                     .number = 1,
                                     .from = QS_END_B,
                                     .source_is_server_port = true};

    qs_decode(decoder, session, NULL, &packet);
    dem_late_join.add_packet(sign_on, decoder);
}

/* Of 10 to 15, the numbers of secrets and monsters: 11 to 14. The others are the donor's own. */
TEST(statistics_that_all_players_have_are_donated)
{
    struct qs_sign_on *sign_on = qs_sign_on_new();
    struct qs_session *session = g_malloc(nq_protocol.session_size);
    g_autoptr(GByteArray) found = g_byte_array_new();
    struct qs_decoder decoder;

    nq_protocol.session_init(session);
    qs_decoder_init(&decoder, &nq_protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    add_packet(sign_on, &decoder, session, VIEW(RELIABLE("\x17", "\0") SERVERINFO));
    add_packet(sign_on, &decoder, session,
               VIEW(RELIABLE("\x2c", "\1") STAT("\x0a") STAT("\x0b") STAT("\x0c") STAT("\x0d")
                        STAT("\x0e") STAT("\x0f")));
    for (guint i = 0; i < qs_sign_on_count(sign_on); i++) {
        const struct qs_view message = qs_sign_on_at(sign_on, i, NULL);

        if (message.data[0] == 3)
            g_byte_array_append(found, message.data + 1, 1);
    }
    assert_view_is(qs_view_of_bytes(found), VIEW("\x0b\x0c\x0d\x0e"));
    qs_decoder_clear(&decoder);
    nq_protocol.session_clear(session);
    g_free(session);
    qs_sign_on_free(sign_on);
}
