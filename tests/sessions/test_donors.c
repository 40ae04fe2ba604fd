/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A late session gets the sign-on of a donor. Packets of the test's game are a letter: S ends a
 * sign-on, G is of the game, ! cannot be read, others do not count. */
#include "common/sessions/late_join.h"
#include "tests/unit/toy.h"

/* --- Game --- */

static bool is_packet(const struct qs_decoder *decoder, char letter)
{
    return decoder->packet->data[0] == letter;
}

static void read_letter(struct qs_decoder *d)
{
    d->found.accepted = true;
    g_array_set_size(d->found.messages, 1);
    if (is_packet(d, '!'))
        qs_note(d, QS_NOTE_MALFORMED, 0, 1, "unreadable");
}

static bool add_packet(struct qs_sign_on *sign_on, const struct qs_decoder *decoder)
{
    if (is_packet(decoder, 'S'))
        qs_sign_on_complete(sign_on, &toy_protocol, decoder->session);
    return is_packet(decoder, 'G');
}

static struct qs_donor_match *match_new(const struct qs_sign_on *sign_on, enum qs_donor_kind kind)
{
    struct qs_donor_match *match = g_new0(struct qs_donor_match, 1);

    qs_donor_match_init(match, sign_on, kind);
    return match;
}

static void match_free(struct qs_donor_match *match)
{
    qs_donor_match_clear(match);
    g_free(match);
}

static uint32_t known_hole; /* of the late session's final state */

static void prepare(struct qs_donor_match *match, struct qs_session *session,
                    const struct qs_session *known)
{
    (void)match, (void)session;
    known_hole = known ? known->hole.number : 0;
}

static void observe(struct qs_donor_match *match, const struct qs_decoder *decoder)
{
    (void)decoder;
    match->seen = true;
}

/* Numbers of states. A sign-on with the first is of a recording of the session; with the second, it
 * is not of the session. */
enum { RECORDED = 1, CONTRADICTED };

static void judge(struct qs_donor_match *match)
{
    if (qs_sign_on_state(match->sign_on, CONTRADICTED).size)
        qs_donor_match_contradict(match, "contradicted");
    match->recorded = qs_sign_on_state(match->sign_on, RECORDED).size;
}

static const struct qs_late_join late_join = {.add_packet = add_packet,
                                              .match_new = match_new,
                                              .match_free = match_free,
                                              .prepare = prepare,
                                              .observe = observe,
                                              .judge = judge};
static const struct qs_demo_format format = {.protocol = &toy_protocol, .late_join = &late_join},
                                   other_game = {.protocol = &toy_protocol,
                                                 .late_join = &late_join};

/* --- Server --- */

static const struct qs_address server = {4, {10, 0, 0, 1}, 27500};

/* Times of the late session's first packet, and of the first one that was kept. */
enum { START = 15, SINCE = 100 };

struct capture {
    GPtrArray *demos;
    struct qs_donors *donors;
    struct qs_decoder decoder;
    struct toy_session session;
    struct qs_packet packet;
    struct qs_late_session *late;
    struct qs_donor_choice choice;
};

static void decode(struct capture *c, int64_t time, const char *letter)
{
    c->packet = (struct qs_packet){
        .data = (const uint8_t *)letter, .size = 1, .wire_size = 1, .time = time, .from = QS_END_B};
    qs_decode(&c->decoder, &c->session.base, NULL, &c->packet);
}

static struct qs_donor *receive(struct capture *c, struct qs_donor *donor, unsigned number,
                                int64_t time, const char *letter)
{
    decode(c, time, letter);
    return qs_donors_packet(c->donors, donor, &format, number, &c->decoder, &server);
}

/* Adds a session that signs on, is in the game until `until`, and does not end. */
static struct qs_donor *add_session(struct capture *c, unsigned number, int64_t signed_on,
                                    int64_t until)
{
    struct qs_donor *donor = receive(c, NULL, number, signed_on, "S");

    receive(c, donor, number, until, "G");
    return receive(c, donor, number, until + SINCE, "x");
}

static void add_demo(struct capture *c, const char *name, const struct qs_demo_format *of)
{
    struct qs_donor *donor = g_new0(struct qs_donor, 1);

    donor->format = of;
    donor->name = g_strdup(name);
    donor->sign_on = qs_sign_on_new();
    qs_sign_on_complete(donor->sign_on, &toy_protocol, &c->session.base);
    g_ptr_array_add(c->demos, donor);
}

static void late_packet(struct capture *c, const char *letter)
{
    decode(c, SINCE, letter);
    qs_late_session_packet(c->late, &c->decoder, "file", &c->packet);
}

static void start(struct capture *c)
{
    struct qs_session before = {.hole = {.number = 7}};

    toy_decode = read_letter;
    c->demos = qs_donor_demos_new();
    c->donors = qs_donors_new(c->demos);
    qs_decoder_init(&c->decoder, &toy_protocol);
    toy_protocol.session_init(&c->session.base);
    c->session.base.server = QS_END_B;
    c->session.base.level = 1;
    receive(c, NULL, 1, 0, "x"); /* sign-ons are only kept if there is another session */
    c->session.base.hole.number = 8;
    decode(c, SINCE, "G");
    c->late = qs_late_session_new(c->donors, &format, &c->decoder, &before, START);
}

static void find_on(struct capture *c, const struct qs_address *address)
{
    late_packet(c, "G");
    qs_late_session_find_donor(c->late, address, &c->choice);
}

static void find(struct capture *c)
{
    find_on(c, &server);
}

static void end(struct capture *c)
{
    qs_donor_choice_clear(&c->choice);
    qs_late_session_free(c->late);
    qs_donors_free(c->donors);
    g_ptr_array_free(c->demos, TRUE);
    qs_decoder_clear(&c->decoder);
}

#define DONOR_TEST(function) TEST_WITH(function, struct capture, c, start, end)

static void assert_donor(const struct capture *c, const char *name)
{
    assert_string_equal(c->choice.name ? c->choice.name : "none", name);
}

/* --- Tests --- */

DONOR_TEST(the_last_session_that_signed_on_is_the_donor)
{
    add_session(c, 2, 20, 200);
    add_session(c, 3, 30, 200);
    find(c);
    assert_donor(c, "session 3");
    assert_false(c->choice.unproven);
}

DONOR_TEST(sessions_stay_in_order_of_their_start_when_one_ends)
{
    struct qs_donor *first = add_session(c, 2, 20, 200);

    add_session(c, 3, 30, 200);
    add_session(c, 4, 40, 200);
    qs_donors_end(c->donors, first);
    find(c);
    assert_donor(c, "session 4");
}

/* 32 packets justify one more try. */
DONOR_TEST(next_donor_is_tried_if_the_session_is_long)
{
    add_session(c, 2, 20, 200);
    qs_sign_on_set_state(add_session(c, 3, 30, 200)->sign_on, CONTRADICTED, VIEW("yes"));
    find(c);
    assert_donor(c, "none");
    for (unsigned packets = 1; packets < 32; packets++)
        late_packet(c, "G");
    find(c);
    assert_donor(c, "session 2");
}

DONOR_TEST(session_that_signed_on_before_the_late_one_began_is_no_donor)
{
    add_session(c, 2, START - 1, 200);
    find(c);
    assert_donor(c, "none");
}

DONOR_TEST(session_that_signs_on_after_the_late_ones_first_packet_is_no_donor)
{
    add_session(c, 2, SINCE + 1, 200);
    find(c);
    assert_donor(c, "none");
}

/* Each level has its own sign-on. */
DONOR_TEST(session_that_has_signed_on_to_the_next_level_is_no_donor)
{
    struct qs_donor *donor = receive(c, NULL, 2, 20, "S");

    receive(c, donor, 2, 50, "G");
    c->session.base.level++;
    receive(c, donor, 2, SINCE + 1, "S");
    receive(c, donor, 2, 200, "G");
    find(c);
    assert_donor(c, "none");
}

DONOR_TEST(session_on_another_server_is_no_donor)
{
    const struct qs_address other_host = {4, {10, 0, 0, 2}, 27500},
                            other_port = {4, {10, 0, 0, 1}, 27501};

    add_session(c, 2, 20, 200);
    find_on(c, &other_host);
    assert_donor(c, "none");
    find_on(c, &other_port);
    assert_donor(c, "none");
}

DONOR_TEST(session_that_left_the_game_before_is_no_donor)
{
    add_session(c, 2, 20, SINCE - 1);
    find(c);
    assert_donor(c, "none");
}

/* Clients of one server at one time have the same protocol; that of a demo is unknown. */
DONOR_TEST(unreadable_packet_excludes_a_session_and_not_a_demo)
{
    add_session(c, 2, 20, 200);
    add_demo(c, "dm4.dem", &format);
    late_packet(c, "G");
    late_packet(c, "!");
    find(c);
    assert_donor(c, "dm4.dem");
    assert_true(c->choice.unproven);
    assert_null(c->choice.refusals);
}

DONOR_TEST(demo_is_refused_if_most_packets_are_unreadable_with_it)
{
    add_demo(c, "dm4.dem", &format);
    late_packet(c, "!");
    late_packet(c, "!");
    find(c);
    assert_donor(c, "none");
    assert_string_equal(c->choice.refusals,
                        "dm4.dem: with it, 2 of 3 packets of the session cannot be read: its "
                        "client had other protocol extensions");
}

DONOR_TEST(each_demo_is_refused_once)
{
    add_demo(c, "a.dem", &other_game);
    add_demo(c, "a.dem", &other_game); /* its second level */
    add_demo(c, "b.dem", &other_game);
    find(c);
    assert_donor(c, "none");
    assert_string_equal(c->choice.refusals,
                        "a.dem: it is of another game; b.dem: it is of another game");
}

DONOR_TEST(refused_demos_are_not_reported_beside_a_donor)
{
    add_demo(c, "a.dem", &other_game);
    add_demo(c, "b.dem", &format);
    find(c);
    assert_donor(c, "b.dem");
    assert_null(c->choice.refusals);
}

/* Otherwise, the first demo that nothing contradicts is. */
DONOR_TEST(demo_that_is_a_recording_of_the_session_is_the_donor)
{
    static const char *const names[] = {"a.dem", "b.dem", "c.dem"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        const struct qs_donor *donor;

        add_demo(c, names[i], &format);
        donor = g_ptr_array_index(c->demos, i);
        if (i)
            qs_sign_on_set_state(donor->sign_on, RECORDED, VIEW("yes"));
    }
    find(c);
    assert_donor(c, "b.dem");
}

static void end_with_hole(struct capture *c, uint32_t number, bool own)
{
    c->session.base.hole.number = number;
    qs_late_session_end(c->late, &c->session.base, own);
}

DONOR_TEST(final_state_is_the_sessions_own_last_one)
{
    add_session(c, 2, 20, 200);
    end_with_hole(c, 3, false);
    end_with_hole(c, 4, true);
    end_with_hole(c, 5, true);
    end_with_hole(c, 6, false);
    find(c);
    assert_int_equal(known_hole, 5);
}

struct replay {
    struct qs_late_session_listener listener;
    uint32_t hole;
};

static void see_session(struct qs_late_session_listener *listener,
                        const struct qs_donor_match *match, struct qs_session *session)
{
    (void)match;
    ((struct replay *)listener)->hole = session->hole.number;
}

static bool see_packet(struct qs_late_session_listener *listener, const char *file,
                       const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    (void)listener, (void)file, (void)decoder, (void)packet;
    return false;
}

/* The state before the first packet that was kept knows the hole. */
DONOR_TEST(session_is_decoded_again_with_the_hole_before_it)
{
    struct replay replay = {.listener = {.begin = see_session, .packet = see_packet}};

    find(c);
    qs_late_session_replay(c->late, &replay.listener);
    assert_int_equal(replay.hole, 7);
}
